// SPDX-License-Identifier: BSD-3-Clause
/* picture.c - a field of temperatures as a PNG.
 *
 * Each pixel asks the field between the cells (bilinear), takes a colour from a table that runs
 * from night blue to white, and is darkened near each isoline.  "Near" is measured in
 * pixels: the distance in degrees divided by the slope, so that all isolines are equally thin. */
#include "picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE     640 /* pixels of the field's side */
#define MARGIN   16
#define BAR      20 /* width of the scale */
#define DOT      2  /* pixels of a dot of a letter */
#define LETTER_W (6 * DOT)
#define LETTER_H (7 * DOT)
#define HEAD     (MARGIN + LETTER_H + MARGIN) /* above the field: the title */
#define WIDTH    (MARGIN + SIDE + MARGIN + BAR + DOT * 4 + 3 * LETTER_W + MARGIN)
#define HEIGHT   (HEAD + SIDE + MARGIN)
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

static const struct rgb paper = {250, 248, 244}, ink = {20, 20, 30};

/* Letters of 5 x 7 dots; in each row the highest of 5 bits is at the left. */
static const struct {
	char c;
	unsigned char row[7];
} letters[] = {
	{'0', {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}},
	{'1', {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
	{'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}},
	{'3', {0x1f, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0e}},
	{'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
	{'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
	{'6', {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}},
	{'7', {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
	{'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
	{'9', {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
	{'T', {0x1f, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}},
	{'C', {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}},
	{'a', {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f}},
	{'c', {0x00, 0x00, 0x0e, 0x10, 0x10, 0x11, 0x0e}},
	{'e', {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e}},
	{'f', {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08}},
	{'k', {0x10, 0x10, 0x12, 0x14, 0x18, 0x14, 0x12}},
	{'l', {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e}},
	{'m', {0x00, 0x00, 0x1a, 0x15, 0x15, 0x11, 0x11}},
	{'n', {0x00, 0x00, 0x16, 0x19, 0x11, 0x11, 0x11}},
	{'o', {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e}},
	{'p', {0x00, 0x00, 0x1e, 0x11, 0x1e, 0x10, 0x10}},
	{'r', {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10}},
	{'s', {0x00, 0x00, 0x0e, 0x10, 0x0e, 0x01, 0x1e}},
	{'t', {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06}},
	{'u', {0x00, 0x00, 0x11, 0x11, 0x11, 0x13, 0x0d}},
	{'x', {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11}},
	{',', {0x00, 0x00, 0x00, 0x00, 0x0c, 0x04, 0x08}},
	{'\'', {0x0e, 0x0a, 0x0e, 0x00, 0x00, 0x00, 0x00}}, /* a degree sign */
};

static struct rgb color_mix(struct rgb a, struct rgb b, double t)
{
	return (struct rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

static struct rgb colour(double degrees)
{
	int last = (int)(sizeof(colours) / sizeof(colours[0])) - 1;
	double at = fmin(fmax(degrees / HOT, 0), 1) * last;
	int i = (int)fmin(floor(at), last - 1);

	return color_mix(colours[i], colours[i + 1], at - i);
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
	int px = x - MARGIN, py = HEAD + SIDE - 1 - y;

	if (py < 0 || py >= SIDE)
		return paper;
	if (px >= 0 && px < SIDE)
		return color_mix(
			colour(sample(field, n, px, py)), ink, 0.45 * isoline(field, n, px, py));
	if (px >= SIDE + MARGIN && px < SIDE + MARGIN + BAR) {
		double t = HOT * py / (SIDE - 1), step = HOT / (SIDE - 1);
		int tick = fabs(t - 10 * round(t / 10)) < step / 2;

		return color_mix(colour(t), ink, tick ? 0.45 : 0);
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

/* Draws one letter with its upper left corner at (x, y). */
static void letter_draw(png_byte *pixels, int x, int y, const unsigned char row[7])
{
	for (int i = 0; i < LETTER_H * 5 * DOT; i++) {
		int dx = i % (5 * DOT), dy = i / (5 * DOT);
		png_byte *p = pixels + 3 * ((long)(y + dy) * WIDTH + x + dx);

		if ((row[dy / DOT] >> (4 - dx / DOT) & 1) == 0)
			continue;
		p[0] = (png_byte)ink.r;
		p[1] = (png_byte)ink.g;
		p[2] = (png_byte)ink.b;
	}
}

/* Writes text with its upper left corner at (x, y); characters without a letter are blanks. */
static void text_draw(png_byte *pixels, int x, int y, const char *text)
{
	for (; *text != '\0' && x + LETTER_W <= WIDTH; text++, x += LETTER_W)
		for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
			if (letters[i].c == *text)
				letter_draw(pixels, x, y, letters[i].row);
}

/* The numbers at the scale. */
static void scale_draw(png_byte *pixels)
{
	for (int t = 0; t <= (int)HOT; t += 20) {
		int y = HEAD + (int)((SIDE - 1) * (1 - t / HOT));
		char number[8];

		snprintf(number, sizeof(number), "%d", t);
		y = y - LETTER_H / 2 < HEAD ? HEAD : y - LETTER_H / 2;
		y = y + LETTER_H > HEAD + SIDE ? HEAD + SIDE - LETTER_H : y;
		text_draw(pixels, MARGIN + SIDE + MARGIN + BAR + DOT * 4, y, number);
	}
	text_draw(pixels, MARGIN + SIDE + MARGIN + BAR + DOT * 4, MARGIN, "'C");
}

int picture_write(const char *path, const double *field, int n, const char *title)
{
	png_image image;
	png_byte *pixels = malloc(3 * (size_t)WIDTH * HEIGHT);
	int good;

	if (pixels == NULL)
		return -1;
	for (int y = 0; y < HEIGHT; y++)
		row_draw(pixels + 3 * (size_t)WIDTH * (size_t)y, field, n, y);
	text_draw(pixels, MARGIN, MARGIN, title);
	scale_draw(pixels);
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
