# Drawn by gnuplot 5: gnuplot FILE
set terminal svg size 1000,520 font 'Helvetica,12' background '#FFFFFF'
set output 'figure_5_11_gpus.svg'
set datafile separator comma
set datafile columnheaders
set style data histogram
set style histogram clustered gap 1.5
set style fill solid 0.9 border rgb '#FFFFFF'
set grid ytics linecolor rgb '#E0E0E0'
set xzeroaxis linetype -1
set xtics nomirror rotate by 30 right noenhanced scale 0
set ytics nomirror
set yrange [0:*]
set title 'Rodinia kernels of 28 predicted within 25 %, as printed' noenhanced
set ylabel '% of the kernels' noenhanced
set key off noenhanced
set arrow from graph 0, first 50 to graph 1, first 50 nohead dashtype 2 linecolor rgb '#808080'
plot 'figure_5_11_gpus.csv' using 2:xtic(1) linecolor rgb '#0072B2' title 'printed'
