// The page: its sections, in order, and what belongs to all of them.

const sections = [
  { id: 'answer', name: 'Answer', fill: fillAnswer },
  { id: 'self-check', name: 'Self-check', title: 'Self-check', lead: `How well the model predicts the GPU that was measured, ${report.gpu}: the first thing to look at before believing the rest.`, fill: fillSelfCheck },
  { id: 'gpus', name: 'GPUs', title: 'GPUs', lead: 'All GPUs compared, those that can run most kernels first, then the fastest. “Rates are” says how the GPU\'s own parameters are known.', fill: fillGpus },
  { id: 'kernels', name: 'Kernels', title: 'Kernels', lead: 'One GPU at a time. A click on a kernel\'s name marks it in every table and chart.', fill: fillKernels },
  { id: 'roofline', name: 'Roofline', title: 'Roofline', lead: 'How near each kernel comes to what the GPU can do, and which ceiling stands over it.', fill: fillRoofline, needs: 'roofline' },
  { id: 'quadrant', name: 'Quadrant-split', title: 'Quadrant-split', lead: 'One kernel on all GPUs: which of them it finds too slow in memory, and which in arithmetic.', fill: fillQuadrant, needs: 'quadrants' },
  { id: 'comparison', name: 'Comparison', title: 'Comparison', lead: 'Which GPU for the money, the power and the time there is. Weights and prices can be changed here: the figures follow.', fill: fillComparison, needs: 'comparison' },
  { id: 'application', name: 'Application', title: 'The whole application', lead: 'Kernels as predicted, copies between host and GPU scaled by the link, idle and host time as they were.', fill: fillApplication, needs: 'application' },
  { id: 'headroom', name: 'Headroom', title: 'Headroom', lead: 'What each kernel could still gain on the GPU it ran on, ranked by what that would save of the application.', fill: fillHeadroom, needs: 'headroom' },
  { id: 'not-modelled', name: 'Not modelled', title: 'Not modelled', lead: 'What the predictions leave out, and why.', fill: fillNotModelled },
  { id: 'configuration', name: 'Configuration', title: 'Configuration and provenance', lead: 'What was profiled, where and with which versions.', fill: fillConfiguration },
  { id: 'numbers', name: 'Numbers', title: 'Counters and parameters', lead: 'Everything that is needed to recompute a prediction by hand.', fill: fillNumbers },
];

const present = sections.filter((section) => !section.needs || report[section.needs]);
const main = document.querySelector('main');
for (const section of present) {
  let element = document.getElementById(section.id);
  if (!element) {
    element = h('section', { id: section.id, 'aria-labelledby': `${section.id}-heading` }, h('h2', { id: `${section.id}-heading` }, section.title), h('p', { class: 'lead' }, section.lead));
    main.append(element);
  }
  section.fill(element);
}

{  // navigation: where the reader is
  const links = present.map((section) => h('a', { href: `#${section.id}` }, section.name));
  document.getElementById('nav').append(h('ul', {}, links.map((link) => h('li', {}, link))));
  const mark = () => {
    const here = present.findLastIndex((section) => document.getElementById(section.id).getBoundingClientRect().top < innerHeight / 3);
    links.forEach((link, place) => (place === Math.max(0, here) ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
  };
  let waiting = false;
  addEventListener('scroll', () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; mark(); }); } }, { passive: true });
  mark();
}

theme.redraw = () => charts.forEach((chart) => chart.refresh());

{  // paper is white, as wide as it is, and shows everything
  addEventListener('beforeprint', () => {
    paperWidth = 690;
    theme.paper = true;
    tables.forEach((table) => table.print(true));
    theme.apply();  // draws every chart, also those that were never seen
  });
  addEventListener('afterprint', () => {
    paperWidth = null;
    theme.paper = false;
    tables.forEach((table) => table.print(false));
    theme.apply();
  });
  document.getElementById('print').addEventListener('click', () => print());
}

{  // the highlighted kernel
  const panel = document.getElementById('kernel-panel');
  whenChanged((changes) => {
    if (!('kernel' in changes)) return;
    panel.hidden = state.kernel === null;
    if (state.kernel === null) return;
    panel.replaceChildren(h('span', {}, `${kernelName(state.kernel, 80)} is marked`), h('button', { type: 'button', id: 'unmark', onclick: () => change({ kernel: null }) }, 'Clear'));
  });
  addEventListener('keydown', (event) => { if (event.key === 'Escape' && state.kernel !== null) change({ kernel: null }); });
}

document.getElementById('colophon').textContent = `Made by gpuproj ${report.tool_version}. This page is complete in itself: it loads nothing.`;
addEventListener('load', startCharts);
