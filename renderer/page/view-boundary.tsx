import { CircleAlert } from 'lucide-react';
import { Component, type ErrorInfo, type ReactNode, Suspense } from 'react';
import { withoutKeys } from '#shared/without-keys.ts';
import { text } from '../text/shell-text.ts';
import { Button } from '../ui/elements/button.tsx';
import { useCopy } from '../ui/notices/use-copy.ts';
import { AttemptContext } from './lazy-view.tsx';

const maxFrames = 30;

/**
 * Returns details of a broken view that can be shared, with its stack. The error’s message is left out, because it may
 * repeat words of a chat.
 */
export function brokenDetails(view: string, error: unknown, components: string): string {
  const { stack = '', message } = error instanceof Error ? error : { message: '' };
  // A stack begins with the error’s message.
  const [, ...frames] = stack.split(message);
  const details = {
    view,
    error: error instanceof Error ? error.name : typeof error,
    at: new Date().toISOString(),
    stack: getFrames(message === '' ? stack : frames.join('')),
    components: getFrames(components),
  };
  return withoutKeys(JSON.stringify(details, null, 2));
}

/** Returns the stack frames without the address of the page. */
const getFrames = (stack: string): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at (?:[\w$.<>[\] ]+ \()?\S+:\d+:\d+\)?$/.test(line))
    .slice(0, maxFrames)
    .map((line) => line.trim().replaceAll(location.origin, ''));

interface ViewBoundaryProps {
  /** Its name as shown to the user. */
  readonly name: string;
  /** Shown while its code is being loaded. */
  readonly loading?: ReactNode;
  readonly children: ReactNode;
}

interface Broken {
  readonly error: unknown;
  readonly components: string;
}

/** Contains render errors. A notice replaces the broken view, and the rest of the window keeps working. */
export class ViewBoundary extends Component<ViewBoundaryProps, { broken: Broken | null; attempt: object }> {
  override state = { broken: null as Broken | null, attempt: {} };

  static getDerivedStateFromError(error: unknown): { broken: Broken } {
    return { broken: { error, components: '' } };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ broken: { error, components: componentStack ?? '' } });
  }

  override render(): ReactNode {
    const { name, loading = null, children } = this.props;
    const { broken, attempt } = this.state;
    const retry = () => this.setState({ broken: null, attempt: {} });
    if (broken) return <BrokenView name={name} {...broken} onRetry={retry} />;
    return (
      <AttemptContext value={attempt}>
        <Suspense fallback={loading}>{children}</Suspense>
      </AttemptContext>
    );
  }
}

const maxSentence = 300;

function BrokenView({ name, error, components, onRetry }: Broken & { name: string; onRetry: () => void }) {
  const [copied, copy] = useCopy();
  return (
    <div role="alert" className="flex min-w-0 flex-col items-center gap-1 overflow-y-auto px-6 py-8 text-center">
      <CircleAlert size={20} className="mb-2 shrink-0 text-bad" aria-hidden />
      <p className="font-medium text-base">{text.broken(name)}</p>
      <p className="max-w-96 text-fg-2 text-sm">{text.brokenMeans}</p>
      <code className="wrap-anywhere mt-1 max-w-xl text-fg-3 text-xs">{String(error).slice(0, maxSentence)}</code>
      <div className="mt-3 flex flex-wrap justify-center gap-2">
        <Button onClick={onRetry}>{text.tryAgain}</Button>
        <Button variant="quiet" onClick={() => void copy(brokenDetails(name, error, components))}>
          {copied ? text.copied : text.copyDetails}
        </Button>
      </div>
    </div>
  );
}
