/**
 * Thirty calls of six tools, after the compatibility test of openai/gpt-oss (`compatibility-test`, read 2026-11-22): no
 * arguments, long text, a choice among words, nested lists and objects, optional and required fields together.
 */

interface Tool {
  readonly name: string;
  readonly parameters: object;
  readonly calls: readonly object[];
}

const text = { type: 'string' };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const tools: readonly Tool[] = [
  {
    name: 'system_health',
    parameters: object({}),
    calls: [{}, {}, {}, {}, {}],
  },
  {
    name: 'html_of_markdown',
    parameters: object({ markdown: text }),
    calls: [
      { markdown: '# A title\n\nWith *words*.' },
      { markdown: '- one\n- two\n\t- "three"' },
      { markdown: '```js\nconst a = `b` + "c";\n```' },
      { markdown: '[a link](https://example.com?a=1&b=2) \\ {"not": "json"}' },
      { markdown: '| a | b |\n|---|---|\n| 世界 | 👋🏽 |' },
    ],
  },
  {
    name: 'language_of',
    parameters: object({ text }),
    calls: [
      { text: 'Wo ist der Bahnhof?' },
      { text: '¿Dónde está la estación?' },
      { text: '駅はどこですか' },
      { text: 'أين المحطة؟' },
      { text: '' },
    ],
  },
  {
    name: 'chart',
    parameters: object(
      {
        data: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
        kind: { type: 'string', enum: ['line', 'bar', 'scatter'] },
        title: text,
        x_label: text,
      },
      ['data', 'kind'],
    ),
    calls: [
      {
        data: [
          [1, 2],
          [3, 4.5],
        ],
        kind: 'line',
      },
      { data: [[0, -1e-9]], kind: 'bar', title: 'Small' },
      { data: [], kind: 'scatter' },
      {
        data: [
          [1, 1],
          [2, 4],
          [3, 9],
        ],
        kind: 'line',
        title: 'Squares',
        x_label: 'n',
      },
      { data: [[1_700_000_000_000, 2 ** 53 - 1]], kind: 'bar', x_label: 'ms' },
    ],
  },
  {
    name: 'query',
    parameters: object(
      {
        table: text,
        columns: { type: 'array', items: text, minItems: 1 },
        filter: object({ column: text, equals: { type: ['string', 'number', 'boolean', 'null'] } }),
        limit: { type: 'integer', minimum: 1 },
      },
      ['table', 'columns'],
    ),
    calls: [
      { table: 'users', columns: ['id'] },
      { table: 'users', columns: ['id', 'name'], limit: 10 },
      { table: 'orders', columns: ['*'], filter: { column: 'status', equals: 'shipped' } },
      { table: 'orders', columns: ['total'], filter: { column: 'paid', equals: false }, limit: 1 },
      { table: 'o"rders', columns: ["it's"], filter: { column: 'note', equals: null } },
    ],
  },
  {
    name: 'weather',
    parameters: object({ place: text, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } }, ['place']),
    calls: [
      { place: 'Rome' },
      { place: 'São Paulo', unit: 'celsius' },
      { place: 'New York, NY', unit: 'fahrenheit' },
      { place: '東京' },
      { place: '48.8566, 2.3522' },
    ],
  },
];

export const toolCases = tools.flatMap(({ name, parameters, calls }) =>
  calls.map((expected, index) => ({ name: `${name} ${index + 1}`, tool: name, parameters, expected })),
);
