import { type Api, type CoreLink, createApi } from '../api/api.ts';
import { createLiveAnswers, type LiveAnswers } from '../features/chat/data/answer-views.ts';
import type { DocumentParser } from '../markdown/parser/document-parser.ts';
import { startParser } from '../markdown/parser/start-parser.ts';

/** Services that live as long as the window. */
export interface Core {
  readonly api: Api;
  readonly answers: LiveAnswers;
}

const warmAfterMs = 300;

export function createCore(link: CoreLink, parser: DocumentParser = startParser()): Core {
  // After the first paint, and before a chat is opened.
  setTimeout(parser.warm, warmAfterMs);
  return {
    api: createApi(link),
    answers: createLiveAnswers(parser),
  };
}
