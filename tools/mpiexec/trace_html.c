// SPDX-License-Identifier: BSD-3-Clause
/* trace_html.c - the timeline as one page, which needs no other file and no network.
 *
 *     the verdict of the profile
 *     a canvas: a row a thread of a rank, time to the right
 *         regions, thin | calls: blue | the waiting in them: red | messages: arrows
 *     wheel: zoom    drag: move    double click: all    pointer: words
 *
 * The data are arrays of numbers: begin (as a difference), length, kind, name and line of each
 * span.  Where there are more than SPANS_MAX, calls that are too short to be seen are left out. */
#include "tools/mpiexec/trace.h"

#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "tools/mpiexec/json.h"
#include "tools/mpiexec/util.h"

#define SPANS_MAX  300000
#define ARROWS_MAX 100000

static const char head[] =
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\n<style>\n"
	"body{font:14px/1.45 system-ui,sans-serif;margin:1rem;color:#1c2430;background:#fff}\n"
	"h1{font-size:1.2rem;margin:0 0 .4rem}p{margin:.3rem 0}\n"
	".verdict{border-left:4px solid #c8553d;padding:.3rem .8rem;background:#faf3f0}\n"
	"#c{display:block;width:100%;cursor:grab;border:1px solid #e4e8ee;margin-top:.5rem}\n"
	"#tip{position:fixed;display:none;background:#1c2430;color:#fff;padding:.3rem .6rem;"
	"border-radius:3px;font-size:12px;pointer-events:none;max-width:40rem;white-space:pre}\n"
	".k{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}\n"
	"</style>\n";

static const char legend[] =
	"<p><span class=\"k\" style=\"background:#dfece5\"></span>computing"
	"<span class=\"k\" style=\"background:#3f6fb0\"></span>in MPI"
	"<span class=\"k\" style=\"background:#c8553d\"></span>waiting"
	"<span class=\"k\" style=\"background:#b58a2b\"></span>region"
	"<span class=\"k\" style=\"background:#1c2430\"></span>message. &nbsp; "
	"Wheel: zoom. Drag: move. Double click: all. <span id=\"drawn\"></span></p>\n"
	"<canvas id=\"c\"></canvas><div id=\"tip\"></div>\n";

/* T: all of it.  Rows: T.rows[i] = {name, begin, end, s: [..5 numbers a span..]}. */
static const char script[] =
	"'use strict';\n"
	"const L=120,H=26,TOP=24,C=document.getElementById('c'),G=C.getContext('2d'),\n"
	" tip=document.getElementById('tip');\n"
	"const colour=['#b58a2b','#3f6fb0','#c8553d'];\n"
	"for(const r of T.rows){let t=0;r.b=[];r.m=[0,0,0];\n"
	" for(let i=0;i<r.s.length;i+=5){t+=r.s[i];r.b.push(t);\n"
	"  const k=r.s[i+2];r.m[k]=Math.max(r.m[k],r.s[i+1]);}}\n"
	"let from=0,to=T.end||1,W=0,drag=null;\n"
	"const x=t=>L+(t-from)/(to-from)*(W-L),time=p=>from+(p-L)/(W-L)*(to-from);\n"
	"function words(ns){return ns<1e3?ns.toFixed(0)+' ns':\n"
	" ns<1e6?(ns/1e3).toPrecision(4)+' us':ns<1e9?(ns/1e6).toPrecision(4)+' ms':\n"
	" (ns/1e9).toPrecision(4)+' s';}\n"
	"function size(){const d=window.devicePixelRatio||1;W=C.clientWidth;\n"
	" const h=TOP+T.rows.length*H+4;C.style.height=h+'px';C.width=W*d;C.height=h*d;\n"
	" G.setTransform(d,0,0,d,0,0);draw();}\n"
	"function first(r,t){let a=0,b=r.b.length;\n"
	" while(a<b){const m=(a+b)>>1;if(r.b[m]<t)a=m+1;else b=m;}return a;}\n"
	"function axis(){let step=Math.pow(10,Math.floor(Math.log10((to-from)/4||1)));\n"
	" while((to-from)/step>12)step*=2;\n"
	" G.fillStyle='#5a6575';G.strokeStyle='#e4e8ee';\n"
	" for(let t=Math.ceil(from/step)*step;t<=to;t+=step){const p=x(t);\n"
	"  G.beginPath();G.moveTo(p,TOP-4);G.lineTo(p,TOP+T.rows.length*H);G.stroke();\n"
	"  G.fillText(words(t),p+2,12);}}\n"
	"function row(r,i){const y=TOP+i*H;let n=0;\n"
	" G.fillStyle='#dfece5';G.fillRect(x(r.begin),y+4,x(r.end)-x(r.begin),H-8);\n"
	" for(let k=0;k<3;k++){G.fillStyle=colour[k];let last=-1;\n"
	"  for(let j=first(r,from-r.m[k]);j<r.b.length&&r.b[j]<to;j++){const o=j*5;\n"
	"   if(r.s[o+2]!==k)continue;\n"
	"   const a=Math.max(x(r.b[j]),L),b=x(r.b[j]+r.s[o+1]);\n"
	"   if(b<a)continue;n++;\n"
	"   if(b<last)continue;last=Math.max(b,a+.6);\n"
	"   G.fillRect(a,k===0?y+1:y+4,Math.max(b-a,.6),k===0?3:H-8);\n"
	"   if(k===1&&b-a>60){G.fillStyle='#fff';\n"
	"    G.fillText(T.names[r.s[o+3]],a+3,y+H/2+4,b-a-6);\n"
	"    G.fillStyle=colour[k];}}}\n"
	" return n;}\n"
	"function arrows(){let n=0;const A=T.arrows,seen=[];\n"
	" for(let i=0;i<A.length;i+=6)\n"
	"  if(A[i+3]>=from&&A[i+2]<=to){seen.push(i);if(seen.length>4000)return -1;}\n"
	" G.strokeStyle=G.fillStyle='#1c2430';G.globalAlpha=seen.length>600?.25:.75;\n"
	" for(const i of seen){const a=x(A[i+2]),b=x(A[i+3]);\n"
	"  const y=TOP+A[i]*H+H/2,z=TOP+A[i+1]*H+H/2,w=Math.atan2(z-y,b-a);\n"
	"  G.beginPath();G.moveTo(a,y);G.lineTo(b,z);G.stroke();\n"
	"  G.beginPath();G.moveTo(b,z);G.lineTo(b-7*Math.cos(w-.35),z-7*Math.sin(w-.35));\n"
	"  G.lineTo(b-7*Math.cos(w+.35),z-7*Math.sin(w+.35));G.fill();n++;}\n"
	" G.globalAlpha=1;return n;}\n"
	"function draw(){G.clearRect(0,0,W,C.height);G.font='11px system-ui,sans-serif';\n"
	" let n=0;axis();\n"
	" G.save();G.beginPath();G.rect(L,0,W-L,C.height);G.clip();\n"
	" T.rows.forEach((r,i)=>{n+=row(r,i);});const m=arrows();G.restore();\n"
	" G.fillStyle='#1c2430';T.rows.forEach((r,i)=>G.fillText(r.name,4,TOP+i*H+H/2+4,L-8));\n"
	" document.getElementById('drawn').textContent='Drawn: '+n+' spans, '+\n"
	"  (m<0?'too many messages for arrows: zoom in':m+' messages')+'.';}\n"
	"function at(p,q){const i=Math.floor((q-TOP)/H),r=T.rows[i];\n"
	" if(!r||p<L)return '';const t=time(p),slack=(to-from)/(W-L);let best=-1;\n"
	" for(let j=first(r,t-Math.max(...r.m)-slack);j<r.b.length&&r.b[j]<=t+slack;j++)\n"
	"  if(r.b[j]+r.s[j*5+1]>=t-slack)best=j;\n"
	" if(best<0)return r.name+': computes';const o=best*5;\n"
	" return r.name+': '+T.names[r.s[o+3]]+(T.wheres[r.s[o+4]]?'\\n'+T.wheres[r.s[o+4]]:'')+\n"
	"  '\\n'+words(r.s[o+1])+' from '+words(r.b[best]);}\n"
	"C.onwheel=e=>{e.preventDefault();const t=time(e.offsetX),k=e.deltaY>0?1.25:.8;\n"
	" from=Math.max(0,t-(t-from)*k);to=Math.min(T.end,t+(to-t)*k);\n"
	" if(to-from<50)to=from+50;draw();};\n"
	"C.onmousedown=e=>{drag={p:e.offsetX,from,to};C.style.cursor='grabbing';};\n"
	"window.onmouseup=()=>{drag=null;C.style.cursor='grab';};\n"
	"C.onmousemove=e=>{if(drag){const d=(drag.p-e.offsetX)/(W-L)*(drag.to-drag.from);\n"
	"  const s=Math.max(-drag.from,Math.min(T.end-drag.to,d));\n"
	"  from=drag.from+s;to=drag.to+s;draw();return;}\n"
	" const s=at(e.offsetX,e.offsetY);tip.style.display=s?'block':'none';tip.textContent=s;\n"
	" tip.style.left=Math.min(e.clientX+14,window.innerWidth-260)+'px';\n"
	" tip.style.top=e.clientY+14+'px';};\n"
	"C.onmouseleave=()=>{tip.style.display='none';};\n"
	"C.ondblclick=()=>{from=0;to=T.end;draw();};\n"
	"window.onresize=size;size();\n";

/* A list of different texts, malloc'ed, and their numbers. */
struct texts {
	char **v;
	int n;
};

static int text_number(struct texts *t, const char *s)
{
	for (int i = 0; i < t->n; i++)
		if (strcmp(t->v[i], s) == 0)
			return i;
	if ((t->n & (t->n - 1)) == 0)
		t->v = mem_grow(t->v, t->n > 0 ? (size_t)t->n * 2 : 1, sizeof(*t->v));
	t->v[t->n] = text_new("%s", s);
	return t->n++;
}

static void texts_free(struct texts *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
}

static void texts_write(FILE *out, const char *key, const struct texts *t)
{
	fprintf(out, "%s:[", key);
	for (int i = 0; i < t->n; i++) {
		fputs(i > 0 ? "," : "", out);
		json_text(out, t->v[i]);
	}
	fputs("],\n", out);
}

/* Spans shorter than this many ns are left out: 0, or a power of two. */
static int64_t shortest(const struct timeline *t, uint64_t *left)
{
	int64_t least = 0;
	uint64_t n, all = 0;

	for (int i = 0; i < t->n; i++)
		all += (uint64_t)t->rank[i].n;
	for (n = all; n > SPANS_MAX;) {
		least = least > 0 ? least * 2 : 64;
		n = 0;
		for (int i = 0; i < t->n; i++)
			for (int j = 0; j < t->rank[i].n; j++)
				n += t->rank[i].span[j].end - t->rank[i].span[j].begin >= least;
	}
	*left = all - n;
	return least;
}

static void row_write(const struct timeline *t, int rank, int thread, int64_t least,
	struct texts *names, struct texts *wheres, FILE *out)
{
	const struct trace_rank *k = &t->rank[rank];
	int64_t before = 0;
	char name[64], own[96];
	int n = 0;

	trace_rank_name(t, rank, name);
	snprintf(own, sizeof(own), "%s, thread %d", name, thread);
	fputs("{name:", out);
	json_text(out, thread > 0 ? own : name);
	fprintf(out, ",begin:%lld,end:%lld,s:[", (long long)k->begin, (long long)k->end);
	for (int j = 0; j < k->n; j++) {
		const struct trace_span *s = &k->span[j];
		const char *where = s->kind == TRACE_CALL ? k->where[s->what] : "";
		char whom[48];

		if (s->thread != thread || s->end - s->begin < least)
			continue;
		if (s->kind == TRACE_WAIT && s->culprit >= 0) {
			snprintf(whom, sizeof(whom), "for rank %s", t->p->rank[s->culprit].name);
			where = whom;
		}
		fprintf(out, "%s%lld,%lld,%d,%d,%d", n++ > 0 ? "," : "",
			(long long)(s->begin - before), (long long)(s->end - s->begin), s->kind,
			text_number(names, trace_name(t, rank, s)), text_number(wheres, where));
		before = s->begin;
	}
	fputs("]},\n", out);
}

/* The row of a thread. */
static int row_of(const struct timeline *t, int rank, int thread)
{
	int n = thread;

	for (int i = 0; i < rank; i++)
		n += t->rank[i].threads;
	return n;
}

static void arrows_write(const struct timeline *t, FILE *out)
{
	int step = t->narrows / ARROWS_MAX + 1, n = 0;

	fputs("arrows:[", out);
	for (int i = 0; i < t->narrows; i += step) {
		const struct trace_arrow *a = &t->arrow[i];

		fprintf(out, "%s%d,%d,%lld,%lld,%llu,%d", n++ > 0 ? "," : "",
			row_of(t, a->from, a->from_thread), row_of(t, a->to, a->to_thread),
			(long long)a->sent, (long long)a->matched, (unsigned long long)a->bytes,
			a->tag);
	}
	fputs("]};\n", out);
}

static void text_html(FILE *out, const char *s)
{
	for (; *s != '\0'; s++)
		if (*s == '<' || *s == '&')
			fprintf(out, "&#%d;", *s);
		else
			fputc(*s, out);
}

static void head_write(const struct timeline *t, uint64_t left, int64_t least, FILE *out)
{
	char words[512], time[24];

	fputs(head, out);
	fputs("<title>trace of ", out);
	text_html(out, t->p->program);
	fputs("</title>\n<h1>", out);
	text_html(out, t->p->program);
	fprintf(out, ": %d ranks, %s, %d messages</h1>\n<p class=\"verdict\">", t->n,
		profile_time((double)t->end, time), t->narrows);
	profile_verdict(t->p, words, sizeof(words));
	text_html(out, words);
	fputs("</p>\n", out);
	if (t->error_ns > 0)
		fprintf(out, "<p>Clocks of the hosts agree within %s.</p>\n",
			profile_time(t->error_ns, time));
	if (t->dropped > 0)
		fprintf(out, "<p>%s of records had no room: see -trace-room.</p>\n",
			profile_bytes((double)t->dropped, time));
	if (left > 0)
		fprintf(out, "<p>%llu calls and waits shorter than %s are not drawn.</p>\n",
			(unsigned long long)left, profile_time((double)least, time));
	fputs(legend, out);
}

void trace_html(const struct timeline *t, FILE *out)
{
	struct texts names = {.n = 0}, wheres = {.n = 0};
	uint64_t left;
	int64_t least = shortest(t, &left);

	head_write(t, left, least, out);
	fprintf(out, "<script>\nconst T={end:%lld,rows:[\n", (long long)t->end);
	for (int i = 0; i < t->n; i++)
		for (int k = 0; k < t->rank[i].threads; k++)
			row_write(t, i, k, least, &names, &wheres, out);
	fputs("],\n", out);
	texts_write(out, "names", &names);
	texts_write(out, "wheres", &wheres);
	arrows_write(t, out);
	fputs(script, out);
	fputs("</script>\n</html>\n", out);
	texts_free(&names);
	texts_free(&wheres);
}
