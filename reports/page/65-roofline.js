// The roofline: ceilings of one GPU, or the roofs of all that are switched on, and the kernels under them.

function fillRoofline(section) {
  const given = report.roofline;
  const points = columnsOf(given.points);
  // Times, and what follows from them, are those of the model that is chosen; the data has the answering model's.
  const counted = { ...points };
  const isOther = (row) => state.model !== 0 && !counted.measured.get(row);
  const predicted = (row) => prediction(counted.kernel.get(row), counted.gpu.get(row));
  const follow = (key, get) => { points[key] = { ...counted[key], get: (row) => (isOther(row) ? get(row) : counted[key].get(row)) }; };
  follow('duration_s', (row) => predicted(row).duration);
  follow('attained_op_per_s', (row) => (predicted(row).duration === null ? null : counted.attained_op_per_s.get(row) * counted.duration_s.get(row) / predicted(row).duration));
  follow('share', (row) => (predicted(row).duration ?? 0) / total(counted.gpu.get(row)).duration);
  follow('gain', (row) => counted.roof_op_per_s.get(row) / points.attained_op_per_s.get(row));
  follow('limiter', (row) => predicted(row).limiter);
  const ofGpu = new Map();
  for (let row = 0; row < points.kernel.rows; ++row) {
    const target = points.gpu.get(row);
    if (!ofGpu.has(target)) ofGpu.set(target, []);
    ofGpu.get(target).push(row);
  }
  const leftOut = columnsOf(given.left_out);
  const notDrawn = columnsOf(given.not_drawn);
  let several = false;
  const chosenTargets = () => (several ? shownTargets() : [state.target]);
  const rows = () => chosenTargets().flatMap((target) => ofGpu.get(target) ?? []).filter((row) => points.duration_s.get(row) !== null);
  const arrowed = (all) => (state.kernel === null ? (several ? [] : all.slice(0, 3)) : all.filter((row) => points.kernel.get(row) === state.kernel));

  function picture(width) {
    const all = rows();
    const shown = chosenTargets();
    const small = width < 560;
    if (shown.length === 0) return { empty: 'No GPU is switched on.' };
    const ceilings = shown.map((target) => ({ target, compute: columnsOf(given.gpus[target].compute), memory: columnsOf(given.gpus[target].memory) }));
    // What is drawn: with one GPU every ceiling, with several the roof of fp32 and DRAM.
    const flat = ceilings.flatMap(({ target, compute }) => [...Array(compute.name.rows).keys()].map((row) => ({ target, name: compute.name.get(row), rate: compute.rate_op_per_s.get(row), peak: compute.peak.get(row) })))
      .filter((one) => !several || (one.name === 'fp32' && !one.peak));
    const steep = ceilings.flatMap(({ target, memory }) => [...Array(memory.name.rows).keys()].map((row) => ({ target, name: memory.name.get(row), rate: memory.bandwidth_byte_per_s.get(row), peak: memory.peak.get(row) })))
      .filter((one) => !several || (one.name === 'DRAM' && !one.peak));
    if (flat.length === 0 || steep.length === 0) return { empty: `The rates of ${gpuName(shown[0])} are not known.` };
    const dram = steep.filter((one) => one.name === 'DRAM').map((one) => one.rate);
    const ridges = dram.flatMap((bandwidth) => flat.map((one) => one.rate / bandwidth));
    const intensities = all.map(points.intensity_op_per_byte.get).filter((value) => value > 0);
    const low = Math.min(0.1, ...intensities.map((value) => value / 3));
    const finite = Math.max(100, ...ridges.map((value) => value * 3), ...intensities.map((value) => value * 3));
    const infinite = all.some((row) => points.intensity_op_per_byte.get(row) === null);
    const high = infinite ? finite * 6 : finite;
    const place = (row) => points.intensity_op_per_byte.get(row) ?? finite * 2.5;
    const most = Math.max(...flat.map((one) => one.rate), ...all.map(points.attained_op_per_s.get)) * 2;
    const least = Math.min(Math.min(...dram) * low * 2, ...all.map((row) => points.attained_op_per_s.get(row) / 3));
    const top = Math.max(...flat.map((one) => one.rate));
    const traces = [];
    const labels = [];
    for (const one of steep) {
      const end = Math.min(top / one.rate, high);
      if (end <= low) continue;
      traces.push({ type: 'scatter', mode: 'lines', x: [low, end], y: [low * one.rate, end * one.rate], hoverinfo: 'text', text: hover(`${several ? `${gpuName(one.target)}, ` : ''}${one.name}${one.peak ? ' (datasheet)' : ''}: ${forPeople(one.rate, 'B/s')}`),
        line: { color: several ? colourOf(one.target) : one.name === 'DRAM' ? css('--ink') : css('--soft'), width: one.peak ? 1 : one.name === 'DRAM' ? 2.2 : 1.2, dash: one.peak ? 'dot' : 'solid' } });
    }
    for (const one of flat) {
      const begin = several ? one.rate / steep.find((other) => other.target === one.target).rate : low;
      const from = Math.max(low, several ? begin : one.rate / Math.max(...steep.map((other) => other.rate)));
      if (from >= high) continue;
      traces.push({ type: 'scatter', mode: 'lines', x: [from, high], y: [one.rate, one.rate], hoverinfo: 'text', text: hover(`${several ? `${gpuName(one.target)}, ` : ''}${one.name}${one.peak ? ' (datasheet)' : ''}: ${forPeople(one.rate, 'op/s')}`),
        line: { color: several ? colourOf(one.target) : css('--ink'), width: one.peak ? 1 : 1.8, dash: one.peak ? 'dot' : 'solid' } });
    }
    const marked = arrowed(all);
    const isMarked = (row) => state.kernel !== null && points.kernel.get(row) === state.kernel;
    const size = (row) => 8 + 20 * Math.sqrt(points.share.get(row)) + (isMarked(row) ? 5 : 0);
    const look = (row) => limiterLook[points.limiter.get(row)]?.[0] ?? '#8c8c8c';
    const series = several ? shown.map((target) => all.filter((row) => points.gpu.get(row) === target)) : [all];
    for (const part of series.filter((one) => one.length)) {
      traces.push({
        type: 'scatter', mode: 'markers', name: 'kernels', x: part.map(place), y: part.map(points.attained_op_per_s.get), customdata: part.map((row) => ({ kernel: points.kernel.get(row) })), hoverinfo: 'text',
        text: part.map((row) => hover(kernelName(points.kernel.get(row)), several ? gpuName(points.gpu.get(row)) : null, `${points.intensity_op_per_byte.get(row) === null ? 'no DRAM traffic: infinite intensity' : forPeople(points.intensity_op_per_byte.get(row), 'op/B')}, ${forPeople(points.attained_op_per_s.get(row), 'op/s')} ${points.k_type.get(row)}`,
          `${forPeople(points.duration_s.get(row), 's')} ${points.measured.get(row) ? 'measured' : 'predicted'}, ${forPeople(points.share.get(row), 'fraction')} of the time`, `limited by ${limiterText(points.limiter.get(row) ?? '')}`,
          `adjusted ceiling of this kernel: ${forPeople(points.roof_op_per_s.get(row), 'op/s')} (${points.binding.get(row)}), ${forPeople(points.gain.get(row), 'factor')} the attained`)),
        marker: { size: part.map(size), color: part.map((row) => (several ? colourOf(points.gpu.get(row)) : look(row))), symbol: part.map((row) => `${several ? symbolOf(points.gpu.get(row)) : points.intensity_op_per_byte.get(row) === null ? 'triangle-right' : 'circle'}${points.measured.get(row) ? '' : '-open'}`),
          opacity: part.map((row) => (state.kernel === null || isMarked(row) ? 1 : 0.35)), line: { width: part.map((row) => (points.measured.get(row) ? 1 : 2.5)), color: part.map((row) => (points.measured.get(row) ? css('--card') : several ? colourOf(points.gpu.get(row)) : look(row))) } },
      });
    }
    // Steps of the kernel: T_op, x E_mix, x E_instr, as short ceilings over its point; an arrow to what binds.
    const arrows = [];
    for (const row of marked) {
      const x = place(row);
      const step = (rate, width, dash) => ({ type: 'scatter', mode: 'lines', x: [x / 1.35, x * 1.35], y: [rate, rate], hoverinfo: 'text', text: hover(kernelName(points.kernel.get(row)), forPeople(rate, 'op/s')), line: { color: '#d55e00', width, dash } });
      traces.push(step(points.sustained_op_per_s.get(row), 1, 'dot'), step(points.after_mix_op_per_s.get(row), 1.5, 'dash'), step(points.adjusted_op_per_s.get(row), 2.5, 'solid'));
      if (points.gain.get(row) > 1.05) {
        arrows.push({ name: 'fixed', x: Math.log10(x), y: Math.log10(points.roof_op_per_s.get(row)), ax: Math.log10(x), ay: Math.log10(points.attained_op_per_s.get(row)), xref: 'x', yref: 'y', axref: 'x', ayref: 'y', text: '', showarrow: true, arrowhead: 2, arrowsize: 1.1, arrowwidth: 1.6, arrowcolor: '#d55e00', standoff: 1, startstandoff: size(row) / 2 });
      }
    }
    const ordered = [...marked, ...all.filter((row) => !marked.includes(row))];
    for (const row of ordered.slice(0, several ? (state.kernel === null ? 0 : 1) : small ? 8 : 25)) {
      labels.push({ x: place(row), y: points.attained_op_per_s.get(row), text: `${kernelName(points.kernel.get(row), small ? 14 : 24)}${marked.includes(row) && points.gain.get(row) > 1.05 ? `  ${points.gain.get(row).toFixed(2)}×` : ''}` });
    }
    for (const one of [...flat].sort((a, b) => a.peak - b.peak || b.rate - a.rate)) {
      labels.push({ x: high, y: one.rate, text: `${several ? clipped(gpuName(one.target), 24) : one.name}${one.peak ? ' datasheet' : ''} ${small ? '' : tickText(one.rate, 'op/s')}`.trimEnd(), colour: css('--soft'), places: ['inside', 'under'], line: true });
    }
    if (!several) for (const one of steep.filter((other) => !other.peak)) labels.push({ x: low * 1.1, y: low * 1.1 * one.rate, text: `${one.name} ${small ? '' : tickText(one.rate, 'B/s')}`.trimEnd(), colour: css('--soft'), places: ['over'], line: true });
    const target = shown[0];
    const out = several ? [] : [...Array(leftOut.kernel.rows).keys()].filter((row) => leftOut.gpu.get(row) === target);
    const beyond = several ? 0 : notDrawn.kernels.get(target);
    return {
      traces, labels, legend: several ? [] : [...new Set(all.map(points.limiter.get))].filter((one) => one !== null).map((one) => [limiterLook[one]?.[0] ?? '#8c8c8c', limiterText(one)]), said: [beyond ? `${beyond} shorter kernels, ${forPeople(notDrawn.share.get(target), 'fraction')} of the time, are not drawn.` : '',
        out.length ? `${out.length === 1 ? 'One kernel has' : `${out.length} kernels have`} no place here: ${leftOut.reason.get(out[0])}${new Set(out.map(leftOut.reason.get)).size > 1 ? ', and other reasons' : ''}.` : ''].join(' ').trim(),
      layout: {
        height: small ? 400 : 560, margin: { l: small ? 76 : 104, r: 14, t: 14, b: 50 }, annotations: arrows,
        xaxis: { type: 'log', range: [Math.log10(low), Math.log10(high)], title: small ? 'operations per byte of DRAM traffic' : 'operational intensity, operations per byte of DRAM traffic', ...(infinite ? withInfinity(logTicks(low, finite, 'number', small ? 4 : 7), finite * 2.5) : logTicks(low, high, 'number', small ? 5 : 8)) },
        yaxis: { type: 'log', range: [Math.log10(least), Math.log10(most)], title: small ? '' : 'operations per second', ...logTicks(least, most, 'op/s', 8) },
      },
    };
  }
  const withInfinity = (ticks, at) => ({ ...ticks, tickvals: [...ticks.tickvals, at], ticktext: [...ticks.ticktext, '∞'] });

  const toggle = h('button', { type: 'button', id: 'roofline-several', 'aria-pressed': 'false', onclick: () => { several = !several; toggle.setAttribute('aria-pressed', String(several)); figure.chart.refresh(); } }, 'All GPUs switched on');
  const figure = makeChart({
    id: 'roofline-chart', title: 'Kernels under their ceilings', controls: [gpuChooser('roofline-gpu'), modelChooser('roofline-model'), toggle].filter(Boolean),
    about: 'Lines are ceilings, dotted ones those of the datasheet. Points are kernels, larger with their share of the time, coloured by what limits them; filled if measured, open if predicted. ' +
      'The short red lines over a kernel are its own ceilings: the peak of its operations, times its mix of multiply-adds, times its mix of other instructions; the arrow ends at the one that binds.',
    data() {
      const all = rows();
      return { rows: all.length, columns: Object.values(points).map((column) => ({ ...column, get: (row) => (column.key === 'kernel' ? kernels.name.get(points.kernel.get(all[row])) : column.key === 'gpu' ? gpuName(points.gpu.get(all[row])) : column.get(all[row])) })) };
    },
    picture,
  });
  section.append(figure);
  whenChanged((changes) => { if ('target' in changes || 'kernel' in changes || 'model' in changes || ('shown' in changes && several)) figure.chart.refresh(); });
}
