// SPDX-License-Identifier: BSD-3-Clause
/* picture.c - a field of temperatures as a PNG.
 *
 * Each pixel asks the field between the cells (bilinear), takes a colour from a table that runs
 * from night blue to white, and is darkened near each isoline.  "Near" is measured in
 * pixels: the distance in degrees divided by the slope, so that all isolines are equally thin. */
#include "tests/examples/heat/picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE     640 /* pixels of the field's side */
#define MARGIN   16
#define BAR      20 /* width of the scale */
#define WIDTH    (MARGIN + SIDE + MARGIN + BAR + MARGIN)
#define HEIGHT   (MARGIN + SIDE + MARGIN)
#define ISO_STEP 5.0 /* degrees between isolines: 2.5, 7.5, ... so that no body lies on one */
#define ISO_WIDE 0.8 /* pixels from an isoline's middle to its end */
#define HOT      100.0

struct rgb {
	double r, g, b;
};

/* From 0 to 100 degrees, at equal steps. */
static const struct rgb colours[] = {
	{13, 16, 48},
	{32, 45, 110},
	{38, 94, 150},
	{54, 145, 158},
	{118, 188, 152},
	{214, 214, 140},
	{246, 178, 90},
	{232, 112, 62},
	{190, 48, 56},
	{255, 240, 224},
};

static struct rgb mix(struct rgb a, struct rgb b, double t)
{
	return (struct rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

static struct rgb colour(double degrees)
{
	int last = (int)(sizeof(colours) / sizeof(colours[0])) - 1;
	double at = fmin(fmax(degrees / HOT, 0), 1) * last;
	int i = (int)fmin(floor(at), last - 1);

	return mix(colours[i], colours[i + 1], at - i);
}

static double clamp(double x, double top)
{
	return fmin(fmax(x, 0), top);
}

/* The temperature at pixel (px, py) of the field, counted from the lower left. */
static double sample(const double *field, int n, double px, double py)
{
	double x = clamp((px + 0.5) * n / SIDE - 0.5, n - 1);
	double y = clamp((py + 0.5) * n / SIDE - 0.5, n - 1);
	int x0 = (int)x, y0 = (int)y;
	int x1 = x0 + 1 < n ? x0 + 1 : x0, y1 = y0 + 1 < n ? y0 + 1 : y0;
	double low = field[(long)y0 * n + x0] * (x0 + 1 - x) + field[(long)y0 * n + x1] * (x - x0);
	double up = field[(long)y1 * n + x0] * (x0 + 1 - x) + field[(long)y1 * n + x1] * (x - x0);

	return low + (up - low) * (y - y0);
}

/* How much of an isoline is at the pixel: 0 nothing, 1 all. */
static double isoline(const double *field, int n, int px, int py)
{
	double t = sample(field, n, px, py);
	double dx = sample(field, n, px + 1, py) - sample(field, n, px - 1, py);
	double dy = sample(field, n, px, py + 1) - sample(field, n, px, py - 1);
	double slope = hypot(dx, dy) / 2; /* degrees a pixel */
	double off = fabs(t - ISO_STEP * (floor(t / ISO_STEP) + 0.5));

	if (slope < 0.01 || slope > ISO_STEP) /* flat, or the edge of a body */
		return 0;
	return clamp(ISO_WIDE + 0.5 - off / slope, 1);
}

static struct rgb pixel(const double *field, int n, int x, int y)
{
	static const struct rgb paper = {250, 248, 244}, ink = {20, 20, 30};
	int px = x - MARGIN, py = MARGIN + SIDE - 1 - y;

	if (py < 0 || py >= SIDE)
		return paper;
	if (px >= 0 && px < SIDE)
		return mix(colour(sample(field, n, px, py)), ink, 0.45 * isoline(field, n, px, py));
	if (px >= SIDE + MARGIN && px < SIDE + MARGIN + BAR) {
		double t = HOT * py / (SIDE - 1), step = HOT / (SIDE - 1);
		int tick = fabs(t - 10 * round(t / 10)) < step / 2;

		return mix(colour(t), ink, tick ? 0.45 : 0);
	}
	return paper;
}

static void row_draw(png_byte *row, const double *field, int n, int y)
{
	for (int x = 0; x < WIDTH; x++) {
		struct rgb c = pixel(field, n, x, y);

		row[3 * x] = (png_byte)(c.r + 0.5);
		row[3 * x + 1] = (png_byte)(c.g + 0.5);
		row[3 * x + 2] = (png_byte)(c.b + 0.5);
	}
}

int picture_write(const char *path, const double *field, int n)
{
	png_image image;
	png_byte *pixels = malloc(3 * (size_t)WIDTH * HEIGHT);
	int good;

	if (pixels == NULL)
		return -1;
	for (int y = 0; y < HEIGHT; y++)
		row_draw(pixels + 3 * (size_t)WIDTH * (size_t)y, field, n, y);
	memset(&image, 0, sizeof(image));
	image.version = PNG_IMAGE_VERSION;
	image.width = WIDTH;
	image.height = HEIGHT;
	image.format = PNG_FORMAT_RGB;
	good = png_image_write_to_file(&image, path, 0, pixels, 0, NULL);
	png_image_free(&image);
	free(pixels);
	return good ? 0 : -1;
}
