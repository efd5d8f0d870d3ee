import { lineChart } from './line-chart.js';

test('axes are labelled with round values that span the data', () => {
  const svg = lineChart(
    [
      {
        name: 'return',
        points: [
          { x: 0, y: -7.4 },
          { x: 100, y: -3.2 },
        ],
      },
    ],
    {
      title: 'return <sampled>',
      xLabel: 'iteration',
      references: [{ name: 'optimum', y: -2.9 }],
    },
  );
  const labels = [...svg.matchAll(/>([-\d.]+)</g)].map((match) => Number(match[1]));
  expect(labels).toEqual([-8, -7, -6, -5, -4, -3, -2, 0, 20, 40, 60, 80, 100]);
  expect(svg).toContain('return &lt;sampled&gt;');
});

test('a larger value is drawn higher', () => {
  const svg = lineChart(
    [
      {
        name: 'a',
        points: [
          { x: 0, y: 0 },
          { x: 1, y: 1 },
        ],
      },
    ],
    { title: '', xLabel: '' },
  );
  const [, first, second] = /points="[\d.]+,([\d.]+) [\d.]+,([\d.]+)"/.exec(svg)!.map(Number);
  expect(second).toBeLessThan(first);
});

test('a band is drawn around the line where every point has its edges', () => {
  const point = { x: 0, y: 1, low: 0, high: 2 };
  const chart = (last: object) =>
    lineChart([{ name: 'a', points: [point, { x: 1, y: 1, ...last }] }], { title: '', xLabel: '' });
  expect(chart({ low: 0, high: 2 })).toMatch(/<polygon points="[^"]+"/);
  expect(
    chart({ low: 0, high: 2 })
      .match(/<polygon points="([^"]+)"/)![1]
      .split(' '),
  ).toHaveLength(4);
  expect(chart({})).not.toContain('<polygon');
});
