import type { ReactNode } from 'react';
import { DiagramsContext } from '../features/chat/markdown/diagram.tsx';
import { HighlighterContext } from '../features/chat/markdown/use-highlighted.ts';
import { LiveAnswersContext } from '../features/chat/use-answer.ts';
import type { Core } from './core.ts';
import { ProvideApi } from './provide-api.ts';

export function CoreProvider({ core, children }: { core: Core; children: ReactNode }) {
  return (
    <ProvideApi api={core.api}>
      <LiveAnswersContext value={core.answers}>
        <HighlighterContext value={core.highlighter}>
          <DiagramsContext value={core.diagrams}>{children}</DiagramsContext>
        </HighlighterContext>
      </LiveAnswersContext>
    </ProvideApi>
  );
}
