import { LongText } from '../../../long-text/long-text.tsx';
import { text } from '../../../text/chat-text.ts';
import { exactText } from './exact-text.ts';

const line = { heightPx: 16, letters: 100 };

/** Foreign text as plain text in a scroll container. */
export function ExactBlock({ label, value }: { label: string; value: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-control bg-sunken p-2"
    >
      <pre className="whitespace-pre-wrap font-mono text-fg text-xs wrap-anywhere">
        {value === '' ? text.toolNothing : <LongText text={value} line={line} as={exactText} />}
      </pre>
    </section>
  );
}
