# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'quadrant_wide.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
unset key
set lmargin at screen 0.101818
set rmargin at screen 0.727273
set bmargin at screen 0.0857143
set tmargin at screen 0.942857
set xrange [1.5408e+10:1.05371e+13]
set yrange [4.65105e+09:3.29995e+12]
set format x '%.0s %cB/s'
set format y '%.0s %cop/s'
set logscale xy
set xtics (2e+10, 5e+10, 1e+11, 2e+11, 5e+11, 1e+12, 2e+12, 5e+12, 1e+13)
set ytics (5e+09, 1e+10, 2e+10, 5e+10, 1e+11, 2e+11, 5e+11, 1e+12, 2e+12)
set xlabel 'memory bandwidth: bytes of DRAM traffic per second' noenhanced
set title 'Quadrant-split of redblack_sor (fp64)' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set object polygon from 1.5408e+10,4.65105e+09 to 1.05371e+13,3.18073e+12 to 1.05371e+13,3.29995e+12 to 1.5408e+10,3.29995e+12 to 1.5408e+10,4.65105e+09 to 1.5408e+10,4.65105e+09 behind fillstyle solid noborder fillcolor rgb '#FDF3DC'
set object polygon from 1.5408e+10,4.65105e+09 to 1.05371e+13,3.18073e+12 to 1.05371e+13,4.65105e+09 to 1.5408e+10,4.65105e+09 behind fillstyle solid noborder fillcolor rgb '#E4EFF7'
set label 'GeForce GTX 480' at screen 0.265315,0.398577 center noenhanced textcolor rgb '#0072B2'
set label 'GeForce GT 640' at screen 0.23186,0.18061 center noenhanced textcolor rgb '#D55E00'
set arrow from screen 0.153724,0.18061 to screen 0.184406,0.18061 nohead linecolor rgb '#808080' linewidth 0.5
set label 'Tesla V100 SXM2 16GB' at screen 0.482019,0.769436 center noenhanced textcolor rgb '#009E73'
set label 'B200 SXM' at screen 0.640512,0.881488 center noenhanced textcolor rgb '#CC79A7'
set label 'redblack_sor' at screen 0.74,0.932143 left noenhanced textcolor rgb '#000000'
set label 'slope 0.3019 op/B; log axes' at screen 0.74,0.910714 left noenhanced textcolor rgb '#000000'
set label 'yellow half: memory binds' at screen 0.74,0.889286 left noenhanced textcolor rgb '#8A5F00'
set label 'blue half: computing binds' at screen 0.74,0.867857 left noenhanced textcolor rgb '#0072B2'
set label 'disc: GPU, adjusted to the kernel' at screen 0.74,0.846429 left noenhanced textcolor rgb '#404040'
set label 'square: attained, on the line' at screen 0.74,0.825 left noenhanced textcolor rgb '#404040'
set label 'cross: measured' at screen 0.74,0.803571 left noenhanced textcolor rgb '#404040'
set label 'triangle: predicted by calibrated' at screen 0.74,0.782143 left noenhanced textcolor rgb '#404040'
set label 'GeForce GTX 480 20.41 ms memory' at screen 0.74,0.75 left noenhanced textcolor rgb '#0072B2'
set label 'GeForce GT 640 125.9 ms memory' at screen 0.74,0.728571 left noenhanced textcolor rgb '#D55E00'
set label 'Tesla V100 SXM2 16GB 4.093 ms memory' at screen 0.74,0.707143 left noenhanced textcolor rgb '#009E73'
set label 'B200 SXM 506.4 us memory' at screen 0.74,0.685714 left noenhanced textcolor rgb '#CC79A7'
plot 'quadrant_wide.csv' using (strcol(1) eq 'kernel' ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead linewidth 2 linecolor rgb '#404040' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#0072B2' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'attained' && $2 == 0 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#0072B2' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 1 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#D55E00' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 1 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#D55E00' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'attained' && $2 == 1 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'predicted' && $2 == 1 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#D55E00' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'measured' && $2 == 1 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#D55E00' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 2 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#009E73' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 2 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#009E73' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'attained' && $2 == 2 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'predicted' && $2 == 2 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#009E73' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'measured' && $2 == 2 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#009E73' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 3 ? $3 : NaN):4:($5-$3):($6-$4) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'adjusted' && $2 == 3 ? $3 : NaN):4 with points pointtype 7 pointsize 1.2 linecolor rgb '#CC79A7' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'attained' && $2 == 3 ? $3 : NaN):4 with points pointtype 5 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'predicted' && $2 == 3 ? $3 : NaN):4 with points pointtype 8 pointsize 1.2 linewidth 1.5 linecolor rgb '#CC79A7' notitle, \
     'quadrant_wide.csv' using (strcol(1) eq 'measured' && $2 == 3 ? $3 : NaN):4 with points pointtype 2 pointsize 1.6 linewidth 2 linecolor rgb '#CC79A7' notitle
