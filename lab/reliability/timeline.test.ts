/** The picture of a timeline on the page. */
import { expect, test } from 'bun:test';
import { renderTimeline } from './timeline.ts';

const perSecond = [
  ...Array.from({ length: 90 }, () => 200),
  ...Array.from({ length: 30 }, () => 0),
];

test('the line reaches the highest value, and falls to the bottom', () => {
  const svg = renderTimeline({ title: 'Writes', perSecond, periods: [] });
  const points = /points="([^"]+)"/.exec(svg)?.[1]?.split(' ') ?? [];
  expect(points).toHaveLength(120);
  expect(points[0]).toBe('48,48');
  expect(points.at(-1)).toEndWith(',228');
  expect(svg).toContain('>200</text>');
  expect(svg).toContain('>2 min</text>');
});

test('periods of one name have one number, which the legend explains', () => {
  const periods = [
    { name: 'primary & link', from: 10, until: 20 },
    { name: 'standby', from: 30, until: 40 },
    { name: 'primary & link', from: 50, until: 60 },
  ];
  const svg = renderTimeline({ title: 'Writes', perSecond, periods });
  expect(svg.match(/<rect x=/g)).toHaveLength(3);
  expect(svg.match(/text-anchor="middle">[12]<\/text>/g)).toEqual([
    'text-anchor="middle">1</text>',
    'text-anchor="middle">2</text>',
    'text-anchor="middle">1</text>',
  ]);
  expect(svg).toContain('>1: primary &amp; link</text>');
  expect(svg).toContain('>2: standby</text>');
});
