import { machine, type ServerResult, type WorkloadResult } from './results.ts';
import { microseconds, perSecond } from './table.ts';

const WIDTH = 940;
const MARGIN = 24;
const LABELS = 290;
const FIGURES = 230;
const BAR_HEIGHT = 18;
const BAR_STEP = 25;
const TITLE_STEP = 34;
const GROUP_GAP = 18;
const HEADER = 74;

/** They differ in lightness, too, for readers who do not see the colours. */
const COLOUR: Record<ServerResult['kind'], string> = {
  ours: '#0b5cad',
  limit: '#b9b9b9',
  peer: '#7fa7c9',
};

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws requests/s as bars, in a group for each workload. Each group has its own scale. */
export function renderChart(
  results: readonly WorkloadResult[],
  title = 'Requests/s: Animal Store, its limits and its peers',
): string {
  let top = HEADER;
  const groups = results.map((result) => {
    const group = renderGroup(result, top);
    top += TITLE_STEP + result.servers.length * BAR_STEP + GROUP_GAP;
    return group;
  });
  const { processor, cores } = machine();
  const description = results.map(describe).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="13" fill="#1c1c1c">
<title id="title">${escapeXml(title)}</title>
<desc id="description">${escapeXml(description)}</desc>
<rect width="${WIDTH}" height="${top}" fill="#ffffff"/>
<text x="${MARGIN}" y="34" font-size="19" font-weight="600">Requests/s</text>
<text x="${MARGIN}" y="56" fill="#555555">Median, with the range as a line. µs: processor time per request. ${escapeXml(processor)}, ${cores} cores; load generator and server on one machine.</text>
${groups.join('\n')}
</svg>
`;
}

function renderGroup({ title, servers }: WorkloadResult, top: number): string {
  const highest = Math.max(...servers.map(({ requestsPerSecond }) => requestsPerSecond.highest));
  const unit = (WIDTH - 2 * MARGIN - LABELS - FIGURES) / highest;
  const bars = servers.map((server, index) =>
    renderBar(server, top + TITLE_STEP - 8 + index * BAR_STEP, unit),
  );
  return `<g>
<text x="${MARGIN}" y="${top + 12}" font-size="15" font-weight="600">${escapeXml(title)}</text>
${bars.join('\n')}
</g>`;
}

function renderBar(server: ServerResult, y: number, unit: number): string {
  const { title, kind, requestsPerSecond, processorMicroseconds, oursToThis } = server;
  const { median, lowest, highest } = requestsPerSecond;
  const left = MARGIN + LABELS;
  const at = (value: number): string => (left + value * unit).toFixed(1);
  const middle = y + BAR_HEIGHT / 2;
  const baseline = y + BAR_HEIGHT - 5;
  const times = oursToThis === undefined ? '' : ` (ours: ${oursToThis.median.toFixed(2)} ×)`;
  const time = microseconds(processorMicroseconds.median);
  const figures = `${perSecond(median)}${times}${time === '' ? '' : `, ${time} µs`}`;
  const weight = kind === 'ours' ? ' font-weight="600"' : '';
  return `<text x="${left - 10}" y="${baseline}" text-anchor="end"${weight}>${escapeXml(title)}</text>
<rect x="${left}" y="${y}" width="${(median * unit).toFixed(1)}" height="${BAR_HEIGHT}" fill="${COLOUR[kind]}"/>
<line x1="${at(lowest)}" x2="${at(highest)}" y1="${middle}" y2="${middle}" stroke="#1c1c1c"/>
<text x="${(left + highest * unit + 8).toFixed(1)}" y="${baseline}"${weight}>${figures}</text>`;
}

const describe = ({ title, servers }: WorkloadResult): string =>
  `${title}: ${servers
    .map(({ title, requestsPerSecond }) => `${title} ${perSecond(requestsPerSecond.median)}`)
    .join(', ')}.`;
