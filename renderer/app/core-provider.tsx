import type { ReactNode } from 'react';
import { HighlighterContext } from '../features/chat/markdown/use-highlighted.ts';
import { LiveAnswersContext } from '../features/chat/use-answer.ts';
import type { Core } from './core.ts';
import { ProvideApi } from './provide-api.ts';

export function CoreProvider({ core, children }: { core: Core; children: ReactNode }) {
  return (
    <ProvideApi api={core.api}>
      <LiveAnswersContext value={core.answers}>
        <HighlighterContext value={core.highlighter}>{children}</HighlighterContext>
      </LiveAnswersContext>
    </ProvideApi>
  );
}
