import type { Warning } from '#shared/wire/chat-response.ts';
import type { MessagesRequest } from '#shared/wire/messages-request.ts';

/** Budgets from which on an effort is meant; what Anthropic's models are given for them (`providers/anthropic/thinking.ts`). */
const budgets = [
  { least: 32_000, effort: 'xhigh' },
  { least: 20_000, effort: 'high' },
  { least: 10_000, effort: 'medium' },
  { least: 4_096, effort: 'low' },
  { least: 0, effort: 'minimal' },
] as const;

/** How much is to be thought, in the one word that every provider is told. Nothing where nothing is said of it. */
export function getEffort({ thinking, output_config: config }: MessagesRequest): {
  readonly effort: string | undefined;
  readonly warnings: readonly Warning[];
} {
  const { effort } = config ?? {};
  switch (thinking?.type) {
    case undefined:
      return { effort, warnings: [] };
    case 'disabled':
      return { effort: 'none', warnings: [] };
    case 'enabled': {
      const found = effort ?? budgets.find(({ least }) => thinking.budget_tokens >= least)?.effort;
      const message = `"thinking.budget_tokens" is an effort here; "${found}" was used.`;
      return { effort: found, warnings: [{ code: 'budget_as_effort', param: 'thinking', message }] };
    }
    default:
      // Anthropic's own default (https://platform.claude.com/docs/en/build-with-claude/effort, read 2026-11-22).
      return { effort: effort ?? 'high', warnings: [] };
  }
}
