import type { UpdateState } from '#shared/contract/app/updates.ts';
import { useUpdateCalls, useUpdates } from '../../../api/use-app-calls.ts';
import { getSentence } from '../../../text/error-text.ts';
import { formatMoment } from '../../../text/format.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingRow, SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { text } from './desktop-text.ts';

const { updates: words } = text;

interface UpdatesSectionProps {
  automatic: boolean;
  onAutomatic: (automatic: boolean) => void;
}

/** Newer versions of the installed app: their state, and whether to check for them. */
export function UpdatesSection({ automatic, onAutomatic }: UpdatesSectionProps) {
  const { data, isPending, error, refetch } = useUpdates();
  const calls = useUpdateCalls();
  const { failed } = useNotify();
  const does = (call: (typeof calls)[keyof typeof calls]) => () =>
    call.mutate(undefined, { onError: (cause) => failed(words.notDone, cause) });
  return (
    <>
      <SettingsHeading className="mt-6 mb-1">{words.title}</SettingsHeading>
      {isPending && <SkeletonRows rows={2} label={words.loading} />}
      {error && !data && <Failure title={words.failed} error={error} onRetry={() => void refetch()} />}
      {data && data.status !== 'unavailable' && (
        <SettingRow name={words.automatic} note={words.automaticNote}>
          <Switch label={words.automatic} checked={automatic} onChange={onAutomatic} />
        </SettingRow>
      )}
      {data && (
        <>
          <div className="flex min-h-14 flex-wrap items-center gap-2 py-2.5">
            <p role="status" className="min-w-40 flex-1">
              {describeState(data)}
              {data.checkedAt !== null && (
                <span className="block text-fg-3 text-xs">{words.checked(formatMoment(data.checkedAt))}</span>
              )}
            </p>
            {(data.status === 'idle' || data.status === 'failed') && (
              <Button onClick={does(calls.check)} disabled={calls.check.isPending}>
                {words.check}
              </Button>
            )}
            {data.status === 'ready' && (
              <Button variant="primary" onClick={does(calls.install)} disabled={calls.install.isPending}>
                {words.install}
              </Button>
            )}
            {data.status === 'waiting' && <Button onClick={does(calls.postpone)}>{words.postpone}</Button>}
          </div>
          {data.status === 'downloading' && (
            <progress className="mb-3 h-1 w-full accent-accent" max={100} value={data.percent ?? 0} />
          )}
          {data.problem && (
            <Notice tone={data.status === 'failed' ? 'warn' : 'info'}>{getSentence(data.problem)}</Notice>
          )}
          {data.notes !== null && data.version !== null && (
            <section aria-label={words.notes(data.version)} className="mt-4">
              <h4 className="mb-1 font-medium">{words.notes(data.version)}</h4>
              {/* Rendered as plain text. The release notes come from outside, and HTML in them must not be interpreted. */}
              <p className="max-h-80 overflow-y-auto rounded-menu border border-line p-3 text-fg-2 text-sm whitespace-pre-wrap wrap-anywhere">
                {data.notes}
              </p>
            </section>
          )}
        </>
      )}
    </>
  );
}

function describeState({ status, version, percent, checkedAt }: UpdateState): string {
  const named = version ?? '';
  switch (status) {
    case 'downloading':
      return words.downloading(named, percent ?? 0);
    case 'ready':
      return words.ready(named);
    case 'waiting':
      return words.waiting(named);
    case 'idle':
      return checkedAt === null ? words.states.unchecked : words.states.idle;
    default:
      return words.states[status];
  }
}
