import { type Api, type CoreLink, createApi } from '../api/api.ts';
import { createLiveAnswers, type LiveAnswers } from '../features/thread-data/answer-views.ts';
import { createHighlighter, type Highlighter } from '../markdown/code/highlighter.ts';
import { createDiagrams, type Diagrams } from '../markdown/diagrams.ts';
import { startParser } from '../markdown/parser/start-parser.ts';

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
