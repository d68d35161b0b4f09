import type { ReactNode } from 'react';
import { LiveAnswersContext } from '../features/chat/data/use-answer.ts';
import type { Core } from './core-services.ts';
import { ProvideApi } from './provide-api.ts';

export function CoreProvider({ core, children }: { core: Core; children: ReactNode }) {
  return (
    <ProvideApi api={core.api}>
      <LiveAnswersContext value={core.answers}>{children}</LiveAnswersContext>
    </ProvideApi>
  );
}
