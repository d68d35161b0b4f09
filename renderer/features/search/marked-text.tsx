import type { TextRun } from '#shared/contract/chat/search.ts';

/** Text with its matches marked. */
export function MarkedText({ runs }: { runs: readonly TextRun[] }) {
  return runs.map((run, at) =>
    run.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity
      <mark key={at} className="rounded-tag bg-mark text-fg">
        {run.text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity
      <span key={at}>{run.text}</span>
    ),
  );
}
