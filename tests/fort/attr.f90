! SPDX-License-Identifier: BSD-3-Clause
! RUN np=1
! MPI-5.0 7.7, 19.3.7, 19.3.8: attributes set and read in C and in both forms of Fortran, all nine
! ways; callbacks of each language fired from the others.
module attr_calls
  use mpi_f08
  implicit none
  integer :: copies = 0, deletes = 0, old_copies = 0, old_deletes = 0
  integer :: owner ! pitfall 2: whose attribute a delete callback must be told of
contains
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
    if (oldcomm /= MPI_COMM_SELF .or. comm_keyval == 0) ierror = MPI_ERR_OTHER
  end subroutine
  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletes = deletes + 1
    ierror = MPI_SUCCESS
    if (comm%MPI_VAL /= owner .or. comm_keyval == 0 .or. attribute_val == 0 .or. extra_state == 0) &
      ierror = MPI_ERR_OTHER
  end subroutine
  subroutine old_copy(oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    integer :: oldcomm, keyval, extra_state, attribute_val_in, attribute_val_out, ierror
    logical :: flag
    old_copies = old_copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = oldcomm == MPI_COMM_SELF%MPI_VAL .and. keyval /= 0
    ierror = MPI_SUCCESS
  end subroutine
  subroutine old_delete(comm, keyval, attribute_val, extra_state, ierror)
    integer :: comm, keyval, attribute_val, extra_state, ierror
    old_deletes = old_deletes + 1
    if (comm /= owner) old_deletes = -99
    ierror = MPI_SUCCESS
    if (comm == 0 .or. keyval == 0 .or. attribute_val == 0 .or. extra_state == 0) ierror = MPI_ERR_OTHER
  end subroutine
end module

program attr
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use attr_calls
  implicit none
  interface
    function c_keyval() bind(C)
      import; integer(c_int) :: c_keyval
    end function
    subroutine c_put(comm, key, value) bind(C)
      import; integer(c_int), value :: comm, key; integer(c_intptr_t), value :: value
    end subroutine
    function c_get(comm, key) bind(C)
      import; integer(c_int), value :: comm, key; integer(c_intptr_t) :: c_get
    end function
    function c_get_aint(comm, key) bind(C)
      import; integer(c_int), value :: comm, key; integer(c_intptr_t) :: c_get_aint
    end function
    function c_get_int(comm, key) bind(C)
      import; integer(c_int), value :: comm, key; integer(c_int) :: c_get_int
    end function
    function c_copied() bind(C)
      import; integer(c_int) :: c_copied
    end function
  end interface
  type(MPI_Comm) :: comm
  integer :: key, old_key, ckey, val, ierr, self
  integer(kind=MPI_ADDRESS_KIND) :: big, v
  logical :: flag

  call MPI_Init()
  self = MPI_COMM_SELF%MPI_VAL
  big = 5000000000_MPI_ADDRESS_KIND
  call MPI_Comm_create_keyval(copy, delete, key, 7_MPI_ADDRESS_KIND)
  call MPI_Keyval_create(old_copy, old_delete, old_key, 3, ierr)
  ckey = c_keyval()

  ! set in the address form
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, big)
  call MPI_Comm_get_attr(MPI_COMM_SELF, key, v, flag)
  if (.not. flag .or. v /= big) stop 1
  call MPI_Attr_get(self, key, val, flag, ierr)
  if (.not. flag .or. val /= int(iand(big, int(z'ffffffff', 8)))) stop 2
  if (c_get_aint(self, key) /= big) stop 3
  ! set in the INTEGER form
  call MPI_Attr_put(self, old_key, -5, ierr)
  call MPI_Attr_get(self, old_key, val, flag, ierr)
  if (.not. flag .or. val /= -5) stop 4
  call MPI_Comm_get_attr(MPI_COMM_SELF, old_key, v, flag)
  if (.not. flag .or. v /= -5) stop 5
  if (c_get_int(self, old_key) /= -5) stop 6
  ! set in C
  call c_put(self, ckey, big)
  call MPI_Comm_get_attr(MPI_COMM_SELF, ckey, v, flag)
  if (.not. flag .or. v /= big) stop 7
  call MPI_Attr_get(self, ckey, val, flag, ierr)
  if (.not. flag .or. val /= int(iand(big, int(z'ffffffff', 8)))) stop 8
  if (c_get(self, ckey) /= big) stop 9

  ! all of them copied, each by its own language
  call MPI_Comm_dup(MPI_COMM_SELF, comm)
  if (copies /= 1 .or. old_copies /= 1 .or. c_copied() /= 1) stop 10
  call MPI_Comm_get_attr(comm, key, v, flag)
  if (.not. flag .or. v /= big + 7) stop 11
  call MPI_Comm_get_attr(comm, old_key, v, flag)
  if (.not. flag .or. v /= -2) stop 12
  call MPI_Comm_get_attr(comm, ckey, v, flag)
  if (.not. flag .or. v /= big + 1) stop 13
  owner = comm%MPI_VAL
  call MPI_Comm_free(comm)
  if (deletes /= 1 .or. old_deletes /= 1) stop 14
  owner = MPI_COMM_SELF%MPI_VAL
  call MPI_Comm_delete_attr(MPI_COMM_SELF, key)
  call MPI_Comm_get_attr(MPI_COMM_SELF, key, v, flag)
  if (flag .or. deletes /= 2) stop 15
  call MPI_Comm_free_keyval(key)
  if (key /= MPI_KEYVAL_INVALID) stop 16

  ! predefined ones are values
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, v, flag)
  if (.not. flag .or. v /= huge(1)) stop 17
  call MPI_Attr_get(MPI_COMM_WORLD%MPI_VAL, MPI_TAG_UB, val, flag, ierr)
  if (.not. flag .or. val /= huge(1)) stop 18

  ! predefined callbacks
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, 11_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(MPI_COMM_SELF, comm)
  call MPI_Comm_get_attr(comm, key, v, flag)
  if (.not. flag .or. v /= 11) stop 19
  call MPI_Comm_free(comm)
  call MPI_Comm_delete_attr(MPI_COMM_SELF, key)
  call MPI_Comm_free_keyval(key)
  call MPI_Finalize()
end program
