# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'roofline_two.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
unset key
set lmargin at screen 0.0890909
set rmargin at screen 0.618182
set bmargin at screen 0.0857143
set tmargin at screen 0.942857
set logscale xy
set xrange [0.01:100]
set yrange [1e+10:1e+12]
set format x '10^{%L}'
set format y '%.0s %cop/s'
set grid xtics ytics linecolor rgb '#E0E0E0'
set xlabel 'operational intensity: operations per byte of DRAM traffic' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set title 'Roofline' noenhanced
set label 'fp64 184.1 Gop/s' at screen 0.630909,0.632275 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.62787 to screen 0.629091,0.632275 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp64 168.0 Gop/s datasheet' at screen 0.630909,0.610847 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.610847 to screen 0.629091,0.610847 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp64 89.70 Gop/s' at screen 0.630909,0.501033 left noenhanced textcolor rgb '#D55E00'
set arrow from screen 0.618182,0.494054 to screen 0.629091,0.501033 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp64 83.00 Gop/s datasheet' at screen 0.630909,0.479605 left noenhanced textcolor rgb '#D55E00'
set arrow from screen 0.618182,0.479605 to screen 0.629091,0.479605 nohead linecolor rgb '#808080' linewidth 0.5
set label 'DRAM 144.0 GB/s datasheet' at screen 0.167354,0.649299 left noenhanced textcolor rgb '#D55E00'
set arrow from screen 0.326445,0.494054 to screen 0.326445,0.649299 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 117.6 GB/s' at screen 0.239008,0.670727 left noenhanced textcolor rgb '#D55E00'
set arrow from screen 0.338099,0.494054 to screen 0.338099,0.670727 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 177.0 GB/s datasheet' at screen 0.196802,0.692156 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.355893,0.62787 to screen 0.355893,0.692156 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 163.4 GB/s' at screen 0.261408,0.713584 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.360499,0.62787 to screen 0.360499,0.713584 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '1' at screen 0.261829,0.373427 center noenhanced textcolor rgb '#0072B2'
set label '1' at screen 0.307829,0.273597 center noenhanced textcolor rgb '#D55E00'
set label 'GeForce GTX 480' at screen 0.790909,0.932143 left noenhanced textcolor rgb '#0072B2'
set label 'GeForce GTX 660' at screen 0.790909,0.910714 left noenhanced textcolor rgb '#D55E00'
set label 'filled: measured, open: predicted' at screen 0.790909,0.889286 left noenhanced textcolor rgb '#404040'
set label 'by calibrated' at screen 0.790909,0.867857 left noenhanced textcolor rgb '#404040'
set label 'area: share of the time' at screen 0.790909,0.846429 left noenhanced textcolor rgb '#404040'
set label 'dash: its adjusted ceiling' at screen 0.790909,0.825 left noenhanced textcolor rgb '#404040'
set label 'arrow: gain to what binds' at screen 0.790909,0.803571 left noenhanced textcolor rgb '#404040'
set label 'dotted: steps E_mix, E_instr' at screen 0.790909,0.782143 left noenhanced textcolor rgb '#404040'
set label '1 redblack_sor' at screen 0.790909,0.75 left noenhanced textcolor rgb '#000000'
plot 'roofline_two.csv' using (strcol(1) eq 'datasheet' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'ceiling' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead linewidth 2 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'e_mix' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'e_instr' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'gain' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $4/1.15 : NaN):5:($4*0.28):(0) with vectors nohead linewidth 3 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 7 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 6 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'datasheet' && $2 == 1 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'ceiling' && $2 == 1 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead linewidth 2 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'e_mix' && $2 == 1 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'e_instr' && $2 == 1 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'gain' && $2 == 1 ? $4 : NaN):5:($6-$4):($7-$5) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'adjusted' && $2 == 1 ? $4/1.15 : NaN):5:($4*0.28):(0) with vectors nohead linewidth 3 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'measured' && $2 == 1 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 7 pointsize variable linewidth 1.5 linecolor rgb '#D55E00' notitle, \
     'roofline_two.csv' using (strcol(1) eq 'predicted' && $2 == 1 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 6 pointsize variable linewidth 1.5 linecolor rgb '#D55E00' notitle
