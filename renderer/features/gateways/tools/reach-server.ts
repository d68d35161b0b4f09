import { useRef } from 'react';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/tools-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useToolCalls } from './use-tools.ts';

export interface Reaching {
  readonly isPending: boolean;
  /** The reason, if the user refused or could not be asked. */
  readonly refusal: string | null;
  /** Connects to the server, after the user has agreed outside of this page. `then` is called when it answered. */
  reach(then: (reached: ToolServer) => void): void;
  /** Withdraws the question. */
  giveUp(): void;
}

/** Tests a server, which needs the user’s consent outside of this page. */
export function useReachServer(id: string): Reaching {
  const { test } = useToolCalls();
  const { failed } = useNotify();
  const leave = useRef<AbortController>(null);
  const refusal = test.isError ? describeError(test.error) : null;
  const isRefusal = refusal !== null && refusals.has(refusal.code);
  return {
    isPending: test.isPending,
    refusal: isRefusal ? refusal.sentence : null,
    reach(then) {
      if (test.isPending) return;
      const controller = new AbortController();
      leave.current = controller;
      test.mutate(
        { id, signal: controller.signal },
        {
          // The row shows the problem.
          onSuccess: (reached) => reached.problem === null && then(reached),
          onError: (error) => {
            if (controller.signal.aborted || refusals.has(describeError(error).code)) return;
            failed(text.testFailed, error);
          },
        },
      );
    },
    giveUp: () => leave.current?.abort(),
  };
}

const refusals = new Set(['not_confirmed', 'confirmation_busy']);
