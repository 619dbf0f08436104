# SPDX-License-Identifier: GPL-2.0-only
#
# Lateness by period: p50, p99 and maximum, a panel each. "report" sets before, beside
# what style.gp needs:
#
#   data          columns with a heading: period_us, and <mode>_<figure>
#   modes, names  arrays: the modes as columns and as lines are called
#   about         what was measured where
#   floor, over   of the bare world switch, and how much more p99 may be
#   first, last   period in microseconds
#   range         array: of each panel its lowest and highest lateness
#   instructions  in a microsecond

height = 1000
load style

array figure[3] = ["p50", "p99", "max"]
array title[3] = ["p50", "p99", "maximum"]
array symbol[3] = [5, 6, 9]

set logscale xy
set xrange [first / 1.15:last * 1.15]
set xtics (100, 200, 500, 1000, 2000, 5000, 10000)
set ytics (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000)
set ylabel "lateness in TSC ticks\n(instructions)"
set lmargin at screen 0.1
set rmargin at screen 0.74
set key at screen 0.99, screen 0.93 right top vertical

set multiplot layout 3, 1 \
	title "Lateness of the TSC-deadline interrupt\n{/*0.8 " . about . "}"
do for [panel = 1:3] {
	set title title[panel]
	set yrange [range[2 * panel - 1]:range[2 * panel]]
	if (panel == 3) {
		set xlabel sprintf("period in us of the emulated machine (1 us = %d instructions)", \
				   instructions)
	}
	limit = panel == 2 ? floor + over : NaN
	plot for [mode = 1:3] data using "period_us":modes[mode] . "_" . figure[panel] \
			with linespoints linecolor rgb colour[mode] dashtype dash[mode] \
			linewidth width[mode] pointtype symbol[mode] pointsize 0.8 \
			title names[mode], \
		floor with lines linecolor rgb "#555555" dashtype 3 \
			title "bare world switch", \
		limit with lines linecolor rgb "#555555" dashtype 4 \
			title sprintf("limit of p99: %d more", over)
	unset key
}
unset multiplot
