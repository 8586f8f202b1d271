# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1100,700 font 'Helvetica,12' background '#FFFFFF'
set output 'roofline_rodinia.svg'
set encoding utf8
set datafile separator comma
set datafile columnheaders
unset key
set lmargin at screen 0.0890909
set rmargin at screen 0.618182
set bmargin at screen 0.0857143
set tmargin at screen 0.942857
set logscale xy
set xrange [0.01:1000]
set yrange [1e+09:1e+13]
set format x '10^{%L}'
set format y '%.0s %cop/s'
set grid xtics ytics linecolor rgb '#E0E0E0'
set xlabel 'operational intensity: operations per byte of DRAM traffic' noenhanced
set label 'throughput: operations per second' at screen 0.0109091,0.514286 center rotate by 90 noenhanced textcolor rgb '#000000'
set title 'Roofline of GeForce GTX 480' noenhanced
set label 'fp64 184.1 Gop/s' at screen 0.630909,0.583995 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.571078 to screen 0.629091,0.583995 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp32 1.462 Top/s' at screen 0.630909,0.777583 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.76393 to screen 0.629091,0.777583 nohead linecolor rgb '#808080' linewidth 0.5
set label 'int 742.3 Gop/s' at screen 0.630909,0.700843 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.700843 to screen 0.629091,0.700843 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp64 168.0 Gop/s datasheet' at screen 0.630909,0.562566 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.562566 to screen 0.629091,0.562566 nohead linecolor rgb '#808080' linewidth 0.5
set label 'fp32 1.345 Top/s datasheet' at screen 0.630909,0.756155 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.618182,0.756155 to screen 0.629091,0.756155 nohead linecolor rgb '#808080' linewidth 0.5
set label 'shared 1.479 TB/s' at screen 0.189114,0.785359 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.300205,0.76393 to screen 0.300205,0.785359 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'L2 251.2 GB/s' at screen 0.29459,0.806787 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.38168,0.76393 to screen 0.38168,0.806787 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 177.0 GB/s datasheet' at screen 0.238675,0.828216 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.397766,0.76393 to screen 0.397766,0.828216 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label 'DRAM 163.4 GB/s' at screen 0.302361,0.849644 left noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.401451,0.76393 to screen 0.401451,0.849644 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '1' at screen 0.486717,0.529133 center noenhanced textcolor rgb '#0072B2'
set label '2' at screen 0.314424,0.549094 center noenhanced textcolor rgb '#0072B2'
set label '3' at screen 0.394586,0.682697 center noenhanced textcolor rgb '#0072B2'
set label '4' at screen 0.594544,0.656117 center noenhanced textcolor rgb '#0072B2'
set label '5' at screen 0.298574,0.531116 center noenhanced textcolor rgb '#0072B2'
set label '6' at screen 0.2469,0.415428 center noenhanced textcolor rgb '#0072B2'
set label '7' at screen 0.366007,0.6234 center noenhanced textcolor rgb '#0072B2'
set label '8' at screen 0.269382,0.460954 center noenhanced textcolor rgb '#0072B2'
set label '9' at screen 0.279112,0.480658 center noenhanced textcolor rgb '#0072B2'
set label '10' at screen 0.448052,0.490486 center noenhanced textcolor rgb '#0072B2'
set label '11' at screen 0.45318,0.606445 center noenhanced textcolor rgb '#0072B2'
set label '12' at screen 0.267557,0.440635 center noenhanced textcolor rgb '#0072B2'
set label '13' at screen 0.333799,0.543103 center noenhanced textcolor rgb '#0072B2'
set label '14' at screen 0.361112,0.548507 center noenhanced textcolor rgb '#0072B2'
set label '15' at screen 0.224905,0.481763 center noenhanced textcolor rgb '#0072B2'
set label '16' at screen 0.285854,0.499282 center noenhanced textcolor rgb '#0072B2'
set label '17' at screen 0.287412,0.458254 center noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.250503,0.458254 to screen 0.287412,0.458254 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '18' at screen 0.408991,0.618797 center noenhanced textcolor rgb '#0072B2'
set label '19' at screen 0.43267,0.598488 center noenhanced textcolor rgb '#0072B2'
set label '20' at screen 0.387275,0.646652 center noenhanced textcolor rgb '#0072B2'
set label '21' at screen 0.352932,0.518565 center noenhanced textcolor rgb '#0072B2'
set label '22' at screen 0.382686,0.586037 center noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.340322,0.586037 to screen 0.382686,0.586037 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '23' at screen 0.229473,0.319647 center noenhanced textcolor rgb '#0072B2'
set label '24' at screen 0.388923,0.531168 center noenhanced textcolor rgb '#0072B2'
set label '25' at screen 0.245531,0.52353 center noenhanced textcolor rgb '#0072B2'
set label '26' at screen 0.29099,0.615587 center noenhanced textcolor rgb '#0072B2'
set label '27' at screen 0.317667,0.519521 center noenhanced textcolor rgb '#0072B2'
set arrow from screen 0.280758,0.519521 to screen 0.317667,0.519521 nohead linecolor rgb '#B0B0B0' linewidth 0.5
set label '28' at screen 0.343502,0.615541 center noenhanced textcolor rgb '#0072B2'
set label 'GeForce GTX 480' at screen 0.790909,0.932143 left noenhanced textcolor rgb '#0072B2'
set label 'filled: measured, open: predicted' at screen 0.790909,0.910714 left noenhanced textcolor rgb '#404040'
set label 'by quantitative-roofline' at screen 0.790909,0.889286 left noenhanced textcolor rgb '#404040'
set label 'area, %: share of the time' at screen 0.790909,0.867857 left noenhanced textcolor rgb '#404040'
set label 'dash: its adjusted ceiling' at screen 0.790909,0.846429 left noenhanced textcolor rgb '#404040'
set label 'arrow, x: gain to what binds' at screen 0.790909,0.825 left noenhanced textcolor rgb '#404040'
set label '1 lvmd-krn 63.7 % x1.0' at screen 0.790909,0.792857 left noenhanced textcolor rgb '#000000'
set label '2 3d-htsp 6.4 % x1.0' at screen 0.790909,0.771429 left noenhanced textcolor rgb '#000000'
set label '3 e3d-flux 6.3 % x1.0' at screen 0.790909,0.75 left noenhanced textcolor rgb '#000000'
set label '4 lct-gic 4.9 % x1.0' at screen 0.790909,0.728571 left noenhanced textcolor rgb '#000000'
set label '5 km-pt 2.8 % x1.0' at screen 0.790909,0.707143 left noenhanced textcolor rgb '#000000'
set label '6 km-map 2.5 % x1.0' at screen 0.790909,0.685714 left noenhanced textcolor rgb '#000000'
set label '7 srad-c1 2.1 % x1.0' at screen 0.790909,0.664286 left noenhanced textcolor rgb '#000000'
set label '8 bfs-k1 1.7 % x1.0' at screen 0.790909,0.642857 left noenhanced textcolor rgb '#000000'
set label '9 e3d-step 1.5 % x1.0' at screen 0.790909,0.621429 left noenhanced textcolor rgb '#000000'
set label '10 lct-dil 1.5 % x1.0' at screen 0.790909,0.6 left noenhanced textcolor rgb '#000000'
set label '11 pvl-huff 1.2 % x1.0' at screen 0.790909,0.578571 left noenhanced textcolor rgb '#000000'
set label '12 srad-c2 1.0 % x1.0' at screen 0.790909,0.557143 left noenhanced textcolor rgb '#000000'
set label '13 hs-pack 0.6 % x1.0' at screen 0.790909,0.535714 left noenhanced textcolor rgb '#000000'
set label '14 pfnd-krn 0.6 % x1.0' at screen 0.790909,0.514286 left noenhanced textcolor rgb '#000000'
set label '15 hs-srtf 0.5 % x1.0' at screen 0.790909,0.492857 left noenhanced textcolor rgb '#000000'
set label '16 mum-krn 0.5 % x1.0' at screen 0.790909,0.471429 left noenhanced textcolor rgb '#000000'
set label '17 mum-prt 0.4 % x1.0' at screen 0.790909,0.45 left noenhanced textcolor rgb '#000000'
set label '18 btr-rng 0.4 % x1.0' at screen 0.790909,0.428571 left noenhanced textcolor rgb '#000000'
set label '19 btr-fnd 0.4 % x1.0' at screen 0.790909,0.407143 left noenhanced textcolor rgb '#000000'
set label '20 e3d-sfac 0.4 % x1.0' at screen 0.790909,0.385714 left noenhanced textcolor rgb '#000000'
set label '21 bfs-k2 0.3 % x1.0' at screen 0.790909,0.364286 left noenhanced textcolor rgb '#000000'
set label '22 dwt-krn 0.2 % x1.0' at screen 0.790909,0.342857 left noenhanced textcolor rgb '#000000'
set label '23 bp-fwd 0.1 % x1.0' at screen 0.790909,0.321429 left noenhanced textcolor rgb '#000000'
set label '24 hspt-tmp 0.1 % x1.0' at screen 0.790909,0.3 left noenhanced textcolor rgb '#000000'
set label '25 bp-adj 0.1 % x1.0' at screen 0.790909,0.278571 left noenhanced textcolor rgb '#000000'
set label '26 dwt-cpy 0.1 % x1.0' at screen 0.790909,0.257143 left noenhanced textcolor rgb '#000000'
set label '27 e3d-init 0.0 % x1.0' at screen 0.790909,0.235714 left noenhanced textcolor rgb '#000000'
set label '28 nn-euc 0.0 % x1.0' at screen 0.790909,0.214286 left noenhanced textcolor rgb '#000000'
plot 'roofline_rodinia.csv' using (strcol(1) eq 'datasheet' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead dashtype 2 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_rodinia.csv' using (strcol(1) eq 'ceiling' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors nohead linewidth 2 linecolor rgb '#0072B2' notitle, \
     'roofline_rodinia.csv' using (strcol(1) eq 'gain' && $2 == 0 ? $4 : NaN):5:($6-$4):($7-$5) with vectors head filled size screen 0.006,20 linewidth 1 linecolor rgb '#0072B2' notitle, \
     'roofline_rodinia.csv' using (strcol(1) eq 'adjusted' && $2 == 0 ? $4/1.15 : NaN):5:($4*0.28):(0) with vectors nohead linewidth 3 linecolor rgb '#0072B2' notitle, \
     'roofline_rodinia.csv' using (strcol(1) eq 'measured' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 7 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'roofline_rodinia.csv' using (strcol(1) eq 'predicted' && $2 == 0 ? $4 : NaN):5:(0.7+2.5*sqrt($8)) with points pointtype 6 pointsize variable linewidth 1.5 linecolor rgb '#0072B2' notitle
