# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'quadrant_redblack.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
unset key
set lmargin at screen 0.101818
set rmargin at screen 0.727273
set bmargin at screen 0.0857143
set tmargin at screen 0.942857
set xrange [0:1.82963e+11]
set yrange [0:1.0207e+11]
set format x '%.0s %cB/s'
set format y '%.0s %cop/s'
set xlabel 'memory bandwidth: bytes of DRAM traffic per second' noenhanced
set title 'Quadrant-split of redblack_sor (fp64)' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set object polygon from 0,0 to 1.82963e+11,5.52292e+10 to 1.82963e+11,1.0207e+11 to 0,1.0207e+11 to 0,0 to 0,0 behind fillstyle solid noborder fillcolor rgb '#FDF3DC'
set object polygon from 0,0 to 1.82963e+11,5.52292e+10 to 1.82963e+11,0 to 0,0 behind fillstyle solid noborder fillcolor rgb '#E4EFF7'
set label 'GeForce GTX 480' at screen 0.66026,0.447081 center noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.66026,0.514581 to screen 0.66026,0.456724 nohead linecolor rgb '#808080' linewidth 0.5
set label 'GeForce GTX 660' at screen 0.560285,0.328609 center noenhanced textcolor rgb '#D55E00'
set label 'GeForce GTX 960' at screen 0.397003,0.416557 center noenhanced textcolor rgb '#009E73'
set label 'GeForce GTX 1060 6GB' at screen 0.552107,0.596307 center noenhanced textcolor rgb '#CC79A7'
set arrow from screen 0.65438,0.596307 to screen 0.617562,0.596307 nohead linecolor rgb '#808080' linewidth 0.5
set label 'Tesla M2050' at screen 0.51369,0.548561 center noenhanced textcolor rgb '#E69F00'
set label 'Tesla K20c' at screen 0.66206,0.85102 center noenhanced textcolor rgb '#56B4E9'
set label 'redblack_sor' at screen 0.74,0.932143 left noenhanced textcolor rgb '#000000'
set label 'slope 0.3019 op/B' at screen 0.74,0.910714 left noenhanced textcolor rgb '#000000'
set label 'yellow half: memory binds' at screen 0.74,0.889286 left noenhanced textcolor rgb '#8A5F00'
set label 'blue half: computing binds' at screen 0.74,0.867857 left noenhanced textcolor rgb '#0072B2'
set label 'disc: GPU, adjusted to the kernel' at screen 0.74,0.846429 left noenhanced textcolor rgb '#404040'
set label 'square: attained, on the line' at screen 0.74,0.825 left noenhanced textcolor rgb '#404040'
set label 'cross: measured' at screen 0.74,0.803571 left noenhanced textcolor rgb '#404040'
set label 'GeForce GTX 480 20.41 ms memory' at screen 0.74,0.771429 left noenhanced textcolor rgb '#0072B2'
set label 'GeForce GTX 660 34.80 ms compute' at screen 0.74,0.75 left noenhanced textcolor rgb '#D55E00'
set label 'GeForce GTX 960 38.62 ms memory' at screen 0.74,0.728571 left noenhanced textcolor rgb '#009E73'
set label 'GeForce GTX 1060 6GB 20.63 ms memory' at screen 0.74,0.707143 left noenhanced textcolor rgb '#CC79A7'
set label 'Tesla M2050 31.04 ms memory' at screen 0.74,0.685714 left noenhanced textcolor rgb '#E69F00'
set label 'Tesla K20c 21.98 ms memory' at screen 0.74,0.664286 left noenhanced textcolor rgb '#56B4E9'
plot 'quadrant_redblack.csv' using (strcol(1) eq 'kernel' ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead linewidth 2 linecolor rgb '#404040' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#0072B2' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 0 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#0072B2' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 1 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 1 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#D55E00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 1 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 1 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#D55E00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 1 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#D55E00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 2 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#009E73' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 2 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#009E73' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 2 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 2 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#009E73' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 2 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#009E73' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 3 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 3 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#CC79A7' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 3 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 3 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#CC79A7' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 3 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#CC79A7' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 4 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#E69F00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 4 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#E69F00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 4 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 4 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#E69F00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 4 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#E69F00' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 5 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#56B4E9' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'adjusted' && $2 == 5 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#56B4E9' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'attained' && $2 == 5 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'predicted' && $2 == 5 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#56B4E9' notitle, \
     'quadrant_redblack.csv' using (strcol(1) eq 'measured' && $2 == 5 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#56B4E9' notitle
