/**
 * A tool server whose output schema has a pattern that takes practically for ever to check, and a
 * result that almost matches it.
 */
import { answerRequests } from './answer-requests.ts';

const outputSchema = { type: 'object', properties: { word: { type: 'string', pattern: '^(a+)+$' } } };

await answerRequests('hostile', {
  'tools/list': () => ({ tools: [{ name: 'word', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': () => ({
    content: [{ type: 'text', text: 'a word' }],
    structuredContent: { word: `${'a'.repeat(40)}!` },
  }),
});
