# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'roofline_sgemm.svg'
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
set yrange [1e+11:1e+13]
set format x '10^{%L}'
set format y '%.0s %cop/s'
set grid xtics ytics linecolor rgb '#E0E0E0'
set xlabel 'operational intensity: operations per byte of DRAM traffic' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set title 'Roofline of Tesla K20c' noenhanced
set label 'fp64 1.153 Top/s' at screen 0.630909,0.540797 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.540797 to screen 0.629091,0.540797 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp32 3.115 Top/s' at screen 0.630909,0.725782 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.725782 to screen 0.629091,0.725782 nohead linecolor rgb '#808080' linewidth 0.5
set label 'int 584.3 Gop/s' at screen 0.630909,0.41426 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.41426 to screen 0.629091,0.41426 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp64 1.174 Top/s datasheet' at screen 0.630909,0.562225 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.544143 to screen 0.629091,0.562225 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp32 3.522 Top/s datasheet' at screen 0.630909,0.748624 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.748624 to screen 0.629091,0.748624 nohead linecolor rgb '#808080' linewidth 0.5
set label 'shared 1.134 TB/s' at screen 0.307629,0.770053 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.41872,0.748624 to screen 0.41872,0.770053 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 208.0 GB/s datasheet' at screen 0.357072,0.791481 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.516163,0.748624 to screen 0.516163,0.791481 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'L2 190.4 GB/s' at screen 0.434148,0.81291 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.521239,0.748624 to screen 0.521239,0.81291 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 151.7 GB/s' at screen 0.435196,0.834338 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.534287,0.748624 to screen 0.534287,0.834338 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '1' at screen 0.561115,0.32591 center noenhanced textcolor rgb '#0072B2'
set label 'Tesla K20c' at screen 0.790909,0.932143 left noenhanced textcolor rgb '#0072B2'
set label 'filled: measured, open: predicted' at screen 0.790909,0.910714 left noenhanced textcolor rgb '#404040'
set label 'by calibrated' at screen 0.790909,0.889286 left noenhanced textcolor rgb '#404040'
set label 'area, %: share of the time' at screen 0.790909,0.867857 left noenhanced textcolor rgb '#404040'
set label 'dash: its adjusted ceiling' at screen 0.790909,0.846429 left noenhanced textcolor rgb '#404040'
set label 'arrow, x: gain to what binds' at screen 0.790909,0.825 left noenhanced textcolor rgb '#404040'
set label 'x below 1: above its ceiling' at screen 0.790909,0.803571 left noenhanced textcolor rgb '#404040'
set label 'dotted: steps E_mix, E_instr' at screen 0.790909,0.782143 left noenhanced textcolor rgb '#404040'
set label '1 sgemm_32x32 100.0 % x0.9' at screen 0.790909,0.75 left noenhanced textcolor rgb '#000000'
plot 'roofline_sgemm.csv' using (strcol(1) eq 'datasheet' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'ceiling' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead linewidth 2 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'e_mix' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'e_instr' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 3 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'gain' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $4/1.15 : NaN):5:($4*0.28):(0) with vectors nohead linewidth 3 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 7 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'roofline_sgemm.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 6 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle
