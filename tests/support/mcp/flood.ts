/** A tool server whose tools answer with one word, with more values than are accepted, or with more bytes. */
import { answerRequests } from './answer-requests.ts';

const part = { type: 'text', text: 'a word' };
const answers: Readonly<Record<string, () => object>> = {
  word: () => ({ content: [part] }),
  values: () => ({ content: Array.from({ length: 150_000 }, () => part) }),
  lists: () => ({ content: [part], structuredContent: { lists: Array.from({ length: 2_000_000 }, () => []) } }),
  bytes: () => ({ content: [{ type: 'text', text: 'x'.repeat(11 * 2 ** 20) }] }),
};

await answerRequests('flood', {
  'tools/list': () => ({ tools: Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ params }) => answers[params?.name ?? '']?.() ?? {},
});
