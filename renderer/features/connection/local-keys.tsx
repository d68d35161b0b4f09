import { useState } from 'react';
import type { LocalKey } from '#shared/contract/app/local-keys.ts';
import { describeError } from '../../text/error-text.ts';
import { usd } from '../../text/format.ts';
import { text } from '../../text/settings-text.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Form } from '../../ui/forms/form.tsx';
import { SettingRow } from '../../ui/forms/setting-row.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { NewLocalKey } from './new-local-key.tsx';
import { useLocalKeyCalls, useLocalKeys } from './use-local-keys.ts';

const words = text.localKeys;

/** Keys for other programs that use the built-in gateway: create, list, revoke. */
export function LocalKeys() {
  const keys = useLocalKeys();
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<LocalKey | null>(null);
  return (
    <section className="mt-6">
      <h4 className="mb-1 font-semibold">{words.title}</h4>
      {keys.isPending && <SkeletonRows rows={1} label={text.loading} />}
      {keys.isError && !keys.data && (
        <Failure title={words.failed} error={keys.error} onRetry={() => void keys.refetch()} />
      )}
      {keys.data?.length === 0 && <p className="text-fg-2">{words.none}</p>}
      {keys.data?.map((key) => (
        <SettingRow key={key.id} name={key.name} note={<KeyNote entry={key} />}>
          <Button variant="danger" aria-label={words.revokeOf(key.name)} onClick={() => setRevoking(key)}>
            {words.revoke}
          </Button>
        </SettingRow>
      ))}
      <Button className="mt-3" onClick={() => setMaking(true)}>
        {words.add}
      </Button>
      <Dialog open={making} onOpenChange={setMaking} title={words.addTitle}>
        <NewLocalKey onDone={() => setMaking(false)} />
      </Dialog>
      <Dialog
        open={revoking !== null}
        onOpenChange={(open) => !open && setRevoking(null)}
        title={words.revokeTitle(revoking?.name ?? '')}
      >
        {revoking && <RevokeForm id={revoking.id} onDone={() => setRevoking(null)} />}
      </Dialog>
    </section>
  );
}

function KeyNote({ entry }: { entry: LocalKey }) {
  const spent = words.spent(usd(entry.spentUsd), entry.limitUsd === null ? null : usd(entry.limitUsd));
  return (
    <>
      <code className="font-mono">{entry.prefix}…</code> · {words.wallets[entry.wallet]} · {spent}
    </>
  );
}

function RevokeForm({ id, onDone }: { id: string; onDone: () => void }) {
  const { revoke } = useLocalKeyCalls();
  const failure = revoke.isError ? describeError(revoke.error) : undefined;
  return (
    <Form
      saveLabel={words.revoke}
      cancelLabel={text.cancel}
      busy={revoke.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => revoke.mutate(id, { onSuccess: onDone })}
      onCancel={onDone}
    >
      <p className="text-fg-2">{words.revokeBody}</p>
    </Form>
  );
}
