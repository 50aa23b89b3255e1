// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 3.2.5: functions read and set the fields of a status. */
#include "tests/check.h"

int main(int argc, char **argv)
{
	MPI_Status s = {0};
	int source, tag, error, x = 1;

	check_init(&argc, &argv);
	OK(MPI_Sendrecv(&x, 1, MPI_INT, 0, 9, &error, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &s));
	OK(MPI_Status_get_source(&s, &source));
	OK(MPI_Status_get_tag(&s, &tag));
	CHECK(source == 0 && tag == 9);
	OK(MPI_Status_set_source(&s, 3));
	OK(MPI_Status_set_tag(&s, 5));
	OK(MPI_Status_set_error(&s, MPI_ERR_TRUNCATE));
	CHECK(s.MPI_SOURCE == 3 && s.MPI_TAG == 5 && s.MPI_ERROR == MPI_ERR_TRUNCATE);
	OK(MPI_Status_get_error(&s, &error));
	CHECK(error == MPI_ERR_TRUNCATE);
	MPI_Finalize();
	return 0;
}
