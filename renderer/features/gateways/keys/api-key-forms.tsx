import { useState } from 'react';
import type { ApiKeyEntry } from '#shared/contract/app/api-keys.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { keysText as words } from '../../../text/keys-text.ts';
import { Form } from '../../../ui/forms/form.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { getBounds, getDayField, isComplete, KeyFields } from './key-fields.tsx';
import { ShownOnce } from './shown-once.tsx';
import { useApiKeyCalls } from './use-api-keys.ts';

interface KeyFormProps {
  entry: ApiKeyEntry;
  onDone: () => void;
}

function toFailure(error: Error | null): string | undefined {
  if (!error) return undefined;
  const { sentence, remedy } = describeError(error);
  return `${sentence} ${remedy}`;
}

export function ChangeKey({ entry, onDone }: KeyFormProps) {
  const { change } = useApiKeyCalls();
  const [wish, setWish] = useState({
    name: entry.name ?? '',
    limit: entry.limitUsd ?? '',
    end: getDayField(entry.expiresAt),
  });
  return (
    <Form
      saveLabel={words.save}
      cancelLabel={words.cancel}
      ready={isComplete(wish)}
      busy={change.isPending}
      failure={toFailure(change.error)}
      onSave={() => {
        // A day that was left as it is keeps its very moment.
        const bounds = getBounds(wish);
        const expiresAt = wish.end === getDayField(entry.expiresAt) ? entry.expiresAt : bounds.expiresAt;
        change.mutate({ account: entry.account, id: entry.id, ...bounds, expiresAt }, { onSuccess: onDone });
      }}
      onCancel={onDone}
    >
      <KeyFields wish={wish} onChange={setWish} />
    </Form>
  );
}

const ends = (['0', '24', '168'] as const).map((value) => ({ value, label: words.oldEnds[value] }));

export function RotateKey({ entry, baseUrl, onDone }: KeyFormProps & { baseUrl: string | null }) {
  const { rotate } = useApiKeyCalls();
  const [hours, setHours] = useState<(typeof ends)[number]['value']>('24');
  if (rotate.data) {
    const { key, problem } = rotate.data;
    return (
      <ShownOnce secret={key} baseUrl={baseUrl} onDone={onDone}>
        <div className="mt-3">
          {problem ? (
            <Notice tone="bad">{words.oldStays(getSentence(problem))}</Notice>
          ) : (
            <p className="text-fg-2">{words.oldEnded[hours]}</p>
          )}
        </div>
      </ShownOnce>
    );
  }
  return (
    <Form
      saveLabel={words.rotate}
      cancelLabel={words.cancel}
      busy={rotate.isPending}
      failure={toFailure(rotate.error)}
      onSave={() => rotate.mutate({ account: entry.account, id: entry.id, endsInHours: Number(hours) })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.rotateBody}</p>
      <div className="flex flex-col items-start gap-1">
        <p className="font-medium text-fg-2 text-xs">{words.oldKeyEnds}</p>
        <Segmented label={words.oldKeyEnds} value={hours} options={ends} onChange={setHours} />
      </div>
    </Form>
  );
}

export function RevokeKey({ entry, onDone }: KeyFormProps) {
  const { revoke } = useApiKeyCalls();
  return (
    <Form
      saveLabel={words.revoke}
      cancelLabel={words.cancel}
      busy={revoke.isPending}
      failure={toFailure(revoke.error)}
      onSave={() => revoke.mutate({ account: entry.account, id: entry.id }, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.revokeBody}</p>
    </Form>
  );
}
