/** What happened in each second of a trial. */
export interface Timeline {
  /** What is counted, as a title: `Acknowledged writes per second`. */
  readonly title: string;
  /** From the first second on. */
  readonly perSecond: readonly number[];
  /** Periods in seconds from the beginning. */
  readonly periods: readonly Period[];
}

interface Period {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

const WIDTH = 940;
const MARGIN = 48;
const HEIGHT = 180;
const TOP = 48;
const LINE = 18;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Draws a timeline as SVG. Periods of one name have one number, which the legend explains. */
export function renderTimeline({ title, perSecond, periods }: Timeline): string {
  const names = [...new Set(periods.map(({ name }) => name))];
  const highest = Math.max(1, ...perSecond);
  const x = (second: number) => round(MARGIN + ((WIDTH - 2 * MARGIN) * second) / perSecond.length);
  const y = (value: number) => round(TOP + HEIGHT * (1 - value / highest));
  const bottom = TOP + HEIGHT;
  const line = perSecond.map((value, second) => `${x(second)},${y(value)}`).join(' ');
  const cuts = periods.map(({ name, from, until }) => {
    const label = `<text x="${x((from + until) / 2)}" y="${TOP - 6}" text-anchor="middle">${names.indexOf(name) + 1}</text>`;
    return `<rect x="${x(from)}" y="${TOP}" width="${round(x(until) - x(from))}" height="${HEIGHT}" fill="#f3d9c9"/>${label}`;
  });
  const legend = names.map((name, index) => ({
    text: `${index + 1}: ${name}`,
    y: bottom + 46 + index * LINE,
  }));
  const total = bottom + 46 + names.length * LINE;
  const minutes = Math.floor(perSecond.length / 60);
  const ticks = Array.from({ length: minutes + 1 }, (_, minute) => minute).filter(
    (minute) => minute % Math.max(1, Math.ceil(minutes / 12)) === 0,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${total}" width="${WIDTH}" height="${total}" role="img" aria-labelledby="title description" font-family="system-ui, sans-serif" font-size="13" fill="#1c1c1c">
<title id="title">${escapeXml(title)}</title>
<desc id="description">${escapeXml(legend.map(({ text }) => text).join('. '))}.</desc>
<rect width="${WIDTH}" height="${total}" fill="#ffffff"/>
<text x="${MARGIN}" y="20" font-size="15" font-weight="600">${escapeXml(title)}</text>
${cuts.join('\n')}
<polyline points="${line}" fill="none" stroke="#0b5cad" stroke-width="1"/>
<text x="${MARGIN - 6}" y="${TOP + 10}" text-anchor="end">${highest}</text>
<text x="${MARGIN - 6}" y="${bottom}" text-anchor="end">0</text>
${ticks.map((minute) => `<text x="${x(minute * 60)}" y="${bottom + 18}" text-anchor="middle">${minute} min</text>`).join('\n')}
${legend.map(({ text, y: top }) => `<text x="${MARGIN}" y="${top}">${escapeXml(text)}</text>`).join('\n')}
</svg>
`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
