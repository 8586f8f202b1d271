// The quadrant-split chart: one kernel, all GPUs (Konstantinidis 2017, section 3.3).

function fillQuadrant(section) {
  const given = report.quadrants;
  if (given.length === 0) {
    section.append(h('p', {}, 'The profile has no kernels.'));
    return;
  }
  const of = given.map((one) => ({ ...one, at: columnsOf(one.gpus) }));
  const chosen = () => of.find((one) => one.kernel === state.kernel) ?? of[0];
  const rowsOf = (one) => [...Array(one.at.gpu ? one.at.gpu.rows : 0).keys()].filter((row) => state.shown.has(one.at.gpu.get(row)));

  function picture(width) {
    const one = chosen();
    if (one.reason) return { empty: `Not drawn: ${one.reason}.` };
    const rows = rowsOf(one);
    if (rows.length === 0) return { empty: 'No GPU that is switched on has the rates that this chart needs.' };
    const { at } = one;
    const small = width < 560;
    const target = at.gpu.get;
    const xs = rows.flatMap((row) => [at.bandwidth_byte_per_s.get(row), at.peak_byte_per_s.get(row), at.measured_byte_per_s.get(row), at.predicted_byte_per_s.get(row)]).filter((value) => value !== null);
    const slope = one.slope_op_per_byte;
    const steps = steps_shown;
    const ys = rows.flatMap((row) => [at.adjusted_op_per_s.get(row), at.measured_op_per_s.get(row), at.attained_op_per_s.get(row), ...(steps ? [at.sustained_op_per_s.get(row), at.peak_op_per_s.get(row)] : [])]).filter((value) => value !== null);
    const shown_xs = steps ? xs : rows.flatMap((row) => [at.bandwidth_byte_per_s.get(row), at.measured_byte_per_s.get(row) ?? 0]);
    const log = slope !== null && (log_axes ?? rates_apart(rows, at) > widest_linear);
    logarithmic.setAttribute('aria-pressed', String(log));
    logarithmic.hidden = slope === null;
    const lowest = (values) => Math.min(...values.filter((value) => value > 0)) / 1.6;
    const [left, bottom] = log ? [lowest([...shown_xs, ...rows.map(at.attained_byte_per_s.get)]), lowest(ys)] : [0, 0];
    const right = Math.max(...shown_xs) * (log ? 1.6 : 1.12);
    const top = Math.max(...ys) * (log ? 1.6 : 1.12);
    // The half-line comes in at the left or at the bottom, and leaves at the top or at the right.
    const start = slope === null ? [0, 0] : slope * left < bottom ? [bottom / slope, bottom] : [left, slope * left];
    const end = slope === null ? [0, top] : slope * right > top ? [top / slope, top] : [right, slope * right];
    const line = { type: 'scatter', mode: 'lines', name: 'kernel', x: [start[0], end[0]], y: [start[1], end[1]], hoverinfo: 'text', text: hover(`${kernelName(one.kernel)}: ${slope === null ? 'no DRAM traffic' : forPeople(slope, 'op/B')}`), line: { color: css('--ink'), width: 2 } };
    const corner = [start, ...(start[1] > bottom ? [] : [[left, bottom]]), [left, top], ...(end[0] < right ? [] : [[right, top]]), end];
    const other = [start, end, ...(end[0] < right ? [[right, top]] : []), [right, bottom], ...(start[1] > bottom ? [[left, bottom]] : [])];
    const half = (corners, colour) => ({ type: 'scatter', mode: 'lines', x: corners.map((corner_) => corner_[0]), y: corners.map((corner_) => corner_[1]), fill: 'toself', fillcolor: colour, line: { width: 0 }, hoverinfo: 'skip' });
    const traces = [half(corner, 'rgba(230,159,0,.09)'), half(other, 'rgba(0,114,178,.08)'), line];
    const points = (name, x, y, marker, text, which = rows) => ({
      type: 'scatter', mode: 'markers', name, x: which.map(x), y: which.map(y), customdata: which.map((row) => ({ target: target(row) })), hoverinfo: 'text', text: which.map(text),
      marker: { size: small ? 9 : 11, color: which.map((row) => colourOf(target(row))), symbol: which.map((row) => symbolOf(target(row))), ...marker },
    });
    for (const row of rows) {
      const colour = colourOf(target(row));
      const b = at.bandwidth_byte_per_s.get(row);
      const path = [[at.attained_byte_per_s.get(row), at.attained_op_per_s.get(row)], [b, at.adjusted_op_per_s.get(row)]];
      traces.push({ type: 'scatter', mode: 'lines', x: path.map((p) => p[0]), y: path.map((p) => p[1]), hoverinfo: 'skip', line: { color: colour, width: 1.2, dash: 'dot' } });
      if (!steps) continue;
      const climb = [[b, at.adjusted_op_per_s.get(row)], [b, at.after_mix_op_per_s.get(row)], [b, at.sustained_op_per_s.get(row)]];
      if (at.peak_op_per_s.get(row) !== null) climb.push([at.peak_byte_per_s.get(row), at.peak_op_per_s.get(row)]);
      traces.push({ type: 'scatter', mode: 'lines+markers', x: climb.map((p) => p[0]), y: climb.map((p) => p[1]), hoverinfo: 'text',
        text: [hover(gpuName(target(row)), `adjusted: ${forPeople(climb[0][1], 'op/s')}`), hover(gpuName(target(row)), `× E_mix: ${forPeople(climb[1][1], 'op/s')}`), hover(gpuName(target(row)), `sustained: ${forPeople(climb[2][1], 'op/s')}`), climb[3] ? hover(gpuName(target(row)), `datasheet: ${forPeople(climb[3][1], 'op/s')}, ${forPeople(climb[3][0], 'B/s')}`) : ''],
        line: { color: colour, width: 1 }, marker: { size: [0, 5, 5, 6], color: colour, symbol: ['circle', 'line-ew-open', 'circle-open', 'x-thin-open'], opacity: 0.9 } });
    }
    traces.push(points('attained', at.attained_byte_per_s.get, at.attained_op_per_s.get, { size: small ? 6 : 7, line: { width: 1, color: css('--card') }, opacity: 0.75 }, (row) => hover(gpuName(target(row)), `at best ${forPeople(at.attained_op_per_s.get(row), 'op/s')}, ${forPeople(at.attained_byte_per_s.get(row), 'B/s')}`, `${forPeople(at.duration_s.get(row), 's')}, ${at.limiter.get(row)} bound`)));
    traces.push(points('adjusted', at.bandwidth_byte_per_s.get, at.adjusted_op_per_s.get, { line: { width: 1, color: css('--card') } }, (row) => hover(gpuName(target(row)), `${forPeople(at.bandwidth_byte_per_s.get(row), 'B/s')}, adjusted ${forPeople(at.adjusted_op_per_s.get(row), 'op/s')}`, `E_instr ${forPeople(at.e_instr.get(row), 'fraction')}`, `${at.limiter.get(row)} bound: ${forPeople(at.duration_s.get(row), 's')}`)));
    const measured = rows.filter((row) => at.measured_op_per_s.get(row) !== null);
    if (measured.length) traces.push(points('measured', at.measured_byte_per_s.get, at.measured_op_per_s.get, { symbol: 'x', size: 12, color: css('--ink') }, (row) => hover(`${gpuName(target(row))}, measured`, `${forPeople(at.measured_op_per_s.get(row), 'op/s')}, ${forPeople(at.measured_byte_per_s.get(row), 'B/s')}`), measured));
    const labels = [...rows].sort((a, b) => at.adjusted_op_per_s.get(b) - at.adjusted_op_per_s.get(a)).map((row) => ({ x: at.bandwidth_byte_per_s.get(row), y: at.adjusted_op_per_s.get(row), text: clipped(gpuName(target(row)).replace(/^(NVIDIA|GeForce|AMD|Radeon) /, ''), small ? 14 : 24), colour: css('--ink') }));
    const along = (low, high, part) => (log ? low * (high / low) ** part : low + (high - low) * part);
    labels.push({ x: along(left, right, 0.02), y: along(bottom, top, 0.99), text: 'memory bound', colour: css('--soft'), places: ['below', 'right', 'right-down'], line: true }, { x: along(left, right, 0.99), y: along(bottom, top, 0.03), text: 'compute bound', colour: css('--soft'), places: ['left', 'left-up'], line: true });
    const missing = columnsOf(one.left_out);
    return {
      traces, labels,
      said: `${kernelName(one.kernel)}: ${slope === null ? 'no DRAM traffic, so every GPU is compute bound' : forPeople(slope, 'op/B')}, ${forPeople(one.w_comp_op, 'op')} (${one.k_type}), ${forPeople(one.w_traf_byte, 'B')}.` + (missing.gpu.rows ? ` Not drawn: ${clipped([...Array(missing.gpu.rows).keys()].map(missing.gpu.get).join(', '), 160)} (${missing.reason.get(0)}).` : ''),
      layout: {
        height: small ? 400 : 540, margin: { l: small ? 76 : 104, r: 14, t: 14, b: 50 },
        xaxis: { ...axis(left, right, 'B/s', small ? 3 : 7, log), title: 'memory bandwidth' },
        yaxis: { ...axis(bottom, top, 'op/s', 7, log), title: small ? '' : 'operations per second' },
      },
    };
  }
  const axis = (low, high, unit, most, log) => (log ? { type: 'log', range: [Math.log10(low), Math.log10(high)], ...logTicks(low, high, unit, most) } : { type: 'linear', range: [0, high], ...linearTicks(high, unit, most) });
  /// How many times the smallest rate of the GPUs their largest is, in the direction where that is more.
  function rates_apart(rows, at) {
    const apart = (values) => Math.max(...values) / Math.min(...values);
    return Math.max(apart(rows.map(at.bandwidth_byte_per_s.get)), apart(rows.map(at.adjusted_op_per_s.get)));
  }
  const widest_linear = 20;  // as in static charts: farther apart, points crowd in the corner of linear axes
  let log_axes = null;  // the reader's choice
  const logarithmic = h('button', { type: 'button', id: 'quadrant-log', 'aria-pressed': 'false', onclick: () => { log_axes = logarithmic.getAttribute('aria-pressed') !== 'true'; figure.chart.refresh(); } }, 'Logarithmic axes');
  let steps_shown = false;
  const toggle = h('button', { type: 'button', id: 'quadrant-steps', 'aria-pressed': 'false', onclick: () => { steps_shown = !steps_shown; toggle.setAttribute('aria-pressed', String(steps_shown)); figure.chart.refresh(); } }, 'Steps from the datasheet');
  const figure = makeChart({
    id: 'quadrant-chart', title: 'One kernel, all GPUs', controls: [kernelChooser('quadrant-kernel', of.map((one) => one.kernel), () => chosen().kernel), toggle, logarithmic],
    about: 'The line is the kernel, each large mark a GPU at its bandwidth and at the rate that this kernel\'s instruction mix leaves it. A GPU above the line is memory bound and falls down to it, one below is compute bound and moves left to it: the small mark on the line is what it attains at best. Crosses are measured.',
    data() {
      const one = chosen();
      const rows = rowsOf(one);
      return { rows: rows.length, columns: [{ key: 'kernel', heading: 'kernel', unit: '', get: () => kernels.name.get(one.kernel) }, ...Object.values(one.at).map((column) => ({ ...column, get: (row) => (column.key === 'gpu' ? gpuName(one.at.gpu.get(rows[row])) : column.get(rows[row])) }))] };
    },
    picture,
  });
  section.append(figure);
  if (given.length < report.kernels_in_profile) section.append(h('p', { class: 'note' }, `Drawn for the ${given.length} kernels with the most time.`));
  whenChanged((changes) => { if ('kernel' in changes || 'shown' in changes) figure.chart.refresh(); });
}
