// The page: its sections, in order, and what belongs to all of them.

const sections = [
  { id: 'answer', name: 'Answer', fill: fillAnswer, ofAll: true },
  { id: 'self-check', name: 'Self-check', title: 'Self-check', lead: () => `How well the model predicts the GPU that was profiled, ${report.gpu}: the first thing to look at before believing the rest.`, fill: fillSelfCheck },
  { id: 'gpus', name: 'GPUs', title: 'GPUs', lead: 'All GPUs compared, those that can run most kernels first, then the fastest. “Rates are” says how the GPU\'s own parameters are known.', fill: fillGpus },
  { id: 'kernels', name: 'Kernels', title: 'Kernels', lead: 'One GPU at a time. A click on a kernel\'s name marks it in every table and chart.', fill: fillKernels },
  { id: 'roofline', name: 'Roofline', title: 'Roofline', lead: 'How near each kernel comes to what the GPU can do, and which ceiling stands over it.', fill: fillRoofline, needs: 'roofline' },
  { id: 'quadrant', name: 'Quadrant-split', title: 'Quadrant-split', lead: 'One kernel on all GPUs: which of them it finds too slow in memory, and which in arithmetic.', fill: fillQuadrant, needs: 'quadrants' },
  { id: 'comparison', name: 'Comparison', title: 'Comparison', lead: 'Which GPU for the money, the power and the time there is. Weights and prices can be changed here: the figures follow.', fill: fillComparison, needs: 'comparison', ofAll: true },
  { id: 'application', name: 'Application', title: 'The whole application', lead: 'Kernels as predicted, copies between host and GPU scaled by the link, idle and host time as they were.', fill: fillApplication, needs: 'application' },
  { id: 'headroom', name: 'Headroom', title: 'Headroom', lead: 'What each kernel could still gain on the GPU it ran on, ranked by what that would save of the application.', fill: fillHeadroom, needs: 'headroom' },
  { id: 'not-modelled', name: 'Not modelled', title: 'Not modelled', lead: 'What the predictions leave out, and why.', fill: fillNotModelled },
  { id: 'configuration', name: 'Configuration', title: 'Configuration and provenance', lead: 'What was profiled, where and with which versions.', fill: fillConfiguration },
  { id: 'numbers', name: 'Numbers', title: 'Counters and parameters', lead: 'Everything that is needed to recompute a prediction by hand.', fill: fillNumbers },
];

const main = document.querySelector('main');
const kept = [...document.getElementById('answer').childNodes];  // of the answer, on every page
let present = [];

/// Fills every section anew with the program that is shown.
function fillSections() {
  forgetCharts();
  tables.length = listeners.length = 0;
  for (const { id } of present) if (id !== 'answer') document.getElementById(id).remove();
  document.getElementById('answer').replaceChildren(...kept);
  present = sections.filter((section) => !section.needs || report[section.needs]);
  for (const section of present) {
    let element = document.getElementById(section.id);
    if (!element) {
      element = h('section', { id: section.id, 'aria-labelledby': `${section.id}-heading` }, isMix && !section.ofAll ? h('p', { class: 'eyebrow of-program' }, `Program: ${programs[state.program].name}`) : null,
        h('h2', { id: `${section.id}-heading` }, section.title), h('p', { class: 'lead' }, typeof section.lead === 'function' ? section.lead() : section.lead));
      main.append(element);
    }
    section.fill(element);
  }
  fillNavigation();
  showMarkedKernel();
}

/// Another program of the mix in all sections that are about one; the reader stays in the section that is being read.
function showProgram(program) {
  const here = sectionInView();
  const model = models[state.model].name;
  show(program);
  Object.assign(state, { program, kernel: null, model: Math.max(0, models.findIndex((one) => one.name === model)) });
  fillSections();
  observeCharts();
  document.getElementById('program').value = String(program);
  if (here && here !== 'answer') document.getElementById(here)?.scrollIntoView({ behavior: 'instant' });
}

const sectionInView = () => present.findLast((section) => document.getElementById(section.id).getBoundingClientRect().top < innerHeight / 3)?.id;
let links = [];
/// Where the reader is.
function markSection() {
  const here = sectionInView() ?? 'answer';
  links.forEach((link) => (link.hash === `#${here}` ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
}
function fillNavigation() {
  links = present.map((section) => h('a', { href: `#${section.id}` }, section.name));
  document.getElementById('nav').replaceChildren(h('ul', {}, links.map((link) => h('li', {}, link))));
  markSection();
}

/// The highlighted kernel, over the page's lower edge.
function showMarkedKernel() {
  const panel = document.getElementById('kernel-panel');
  const draw = () => {
    panel.hidden = state.kernel === null;
    if (state.kernel === null) return;
    panel.replaceChildren(h('span', {}, `${kernelName(state.kernel, 80)} is marked`), h('button', { type: 'button', id: 'unmark', onclick: () => change({ kernel: null }) }, 'Clear'));
  };
  draw();
  whenChanged((changes) => { if ('kernel' in changes) draw(); });
}

if (isMix) {  // which program the page shows takes the place of its title
  const chooser = h('select', { id: 'program', onchange: (event) => showProgram(Number(event.target.value)) }, programs.map((one, program) => h('option', { value: program }, clipped(one.name, 60))));
  document.querySelector('.subject').replaceWith(h('label', { class: 'subject', for: 'program' }, h('span', {}, 'Program'), chooser));
}
fillSections();
{
  let waiting = false;
  addEventListener('scroll', () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; markSection(); }); } }, { passive: true });
  addEventListener('keydown', (event) => { if (event.key === 'Escape' && state.kernel !== null) change({ kernel: null }); });
}

theme.redraw = () => charts.forEach((chart) => chart.refresh());

{  // paper is white, as wide as it is, and shows everything
  const toPaper = (on) => {
    paperWidth = on ? 690 : null;
    theme.paper = on;
    tables.forEach((table) => table.print(on));
    theme.apply();  // draws every chart, also those that were never seen
  };
  let others = null;
  addEventListener('beforeprint', () => toPaper(true));
  addEventListener('afterprint', () => {
    others?.remove();
    others = null;
    toPaper(false);
  });

  /// A section as it looks, in which nothing moves any more.
  function pictureOf(section) {
    const copy = section.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll('[id], [aria-labelledby]')]) if (!one.closest('svg')) ['id', 'aria-labelledby'].forEach((name) => one.removeAttribute(name));
    return copy;
  }
  /// The programs of the mix that are not shown, behind the one that is: paper has no list to choose from.
  async function addOtherPrograms() {
    const { program: here, kernel, model } = state;
    const top = scrollY;
    others = h('div', { id: 'other-programs', 'aria-hidden': 'true' });
    for (const program of programs.keys()) {
      if (program === here) continue;
      showProgram(program);
      toPaper(true);
      await Promise.all(charts.map((chart) => chart.draw()));
      others.append(...present.filter((section) => !section.ofAll).map((section) => pictureOf(document.getElementById(section.id))));
    }
    showProgram(here);
    toPaper(false);
    change({ kernel, model });
    scrollTo({ top, behavior: 'instant' });
    main.append(others);
  }
  let busy = false;
  async function printAll() {
    if (busy) return;
    busy = true;
    if (isMix && others === null) await addOtherPrograms();
    busy = false;
    print();
  }
  document.getElementById('print').addEventListener('click', printAll);
  if (isMix) {
    addEventListener('keydown', (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'p') return;
      event.preventDefault();
      printAll();
    });
    main.before(h('p', { class: 'print-hint' }, `Of ${programs.length} programs, one is printed here: the page's own Print button prints them all.`));
  }
}

document.getElementById('colophon').textContent = `Made by gpuproj ${page.tool_version}. This page is complete in itself: it loads nothing.`;
addEventListener('load', startCharts);
