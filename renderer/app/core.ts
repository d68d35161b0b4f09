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

const warmAfterMs = 300;

export function createCore(link: CoreLink): Core {
  const parser = startParser();
  // Before the first chat is opened, and after the first view has been drawn.
  setTimeout(parser.warm, warmAfterMs);
  return {
    api: createApi(link),
    answers: createLiveAnswers(parser),
    highlighter: createHighlighter(),
    diagrams: createDiagrams(),
  };
}
