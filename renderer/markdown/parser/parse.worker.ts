import { createParsing } from './parse-documents.ts';
import { type ParseRequest, ready } from './parse-messages.ts';

/** Parses Markdown beside the page, so that no answer, however long or hostile, takes a frame from it. */
const answer = createParsing();

addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  for (const parsed of answer(data)) postMessage(parsed);
});
postMessage(ready);
