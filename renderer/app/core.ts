import { createLiveAnswers, type LiveAnswers } from '../features/chat/live-answers.ts';
import { createDiagrams, type Diagrams } from '../features/chat/markdown/diagrams.ts';
import { createHighlighter, type Highlighter } from '../features/chat/markdown/highlighter.ts';
import { startParser } from '../features/chat/markdown/start-parser.ts';
import { type Api, type CoreLink, createApi } from '../lib/api.ts';

/** What one window holds for as long as it is open. */
export interface Core {
  readonly api: Api;
  readonly answers: LiveAnswers;
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
}

export const createCore = (link: CoreLink): Core => ({
  api: createApi(link),
  answers: createLiveAnswers(startParser()),
  highlighter: createHighlighter(),
  diagrams: createDiagrams(),
});
