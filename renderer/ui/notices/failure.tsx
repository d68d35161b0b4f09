import { CircleAlert } from 'lucide-react';
import { describeError } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';
import { Button } from '../elements/button.tsx';
import { Remedy } from './remedy.tsx';

/** Replaces content that could not be loaded by the reason and a retry button. */
export function Failure({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  const failure = describeError(error);
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <CircleAlert size={20} className="mb-2 text-bad" aria-hidden />
      <p className="font-medium text-base text-fg">{title}</p>
      <p className="max-w-96 text-fg-2 text-sm">
        {failure.sentence} <Remedy failure={failure} byItself />
      </p>
      <Button className="mt-3" onClick={onRetry}>
        {text.retry}
      </Button>
    </div>
  );
}
