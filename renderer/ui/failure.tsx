import { CircleAlert } from 'lucide-react';
import { describeError } from '../lib/error-text.ts';
import { Button } from './button.tsx';
import { Remedy } from './remedy.tsx';

/** What could not be read, why, and the way to try again. Takes the place of what is missing. */
export function Failure({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  const text = describeError(error);
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <CircleAlert size={20} className="mb-2 text-bad" aria-hidden />
      <p className="font-medium text-base text-fg">{title}</p>
      <p className="max-w-96 text-fg-2 text-sm">
        {text.sentence} <Remedy failure={text} byItself />
      </p>
      <Button className="mt-3" onClick={onRetry}>
        Retry
      </Button>
    </div>
  );
}
