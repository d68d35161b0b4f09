/**
 * A tool server with a list of tools of any size. Its arguments set the number of tools, the fields of each, and
 * whether each page names a next one.
 */
import { answerRequests } from './answer-requests.ts';

const [tools = 1, fields = 1] = process.argv.slice(2).map(Number);
const isEndless = process.argv.includes('endless');

const field = { type: 'string', description: 'What the person wrote, in the words of the person' };
const inputSchema = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: fields }, (_, index) => [`field_${index}`, field])),
};

await answerRequests('listing', {
  'tools/list': ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    const listed = Array.from({ length: tools }, (_, index) => ({ name: `tool_${page}_${index}`, inputSchema }));
    return { tools: listed, ...(isEndless ? { nextCursor: String(page + 1) } : {}) };
  },
});
