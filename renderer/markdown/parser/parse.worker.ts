import { createParsing } from './parse-documents.ts';
import { type ParseRequest, ready } from './parse-messages.ts';

/** Parses Markdown in a worker, so that no answer, however long or hostile, blocks a frame. */
const answer = createParsing();

addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  for (const parsed of answer(data)) postMessage(parsed);
});
postMessage(ready);
