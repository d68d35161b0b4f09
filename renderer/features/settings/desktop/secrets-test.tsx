import type { SecretsTest } from '#shared/contract/app/app.ts';
import { useSecretsTest } from '../../../api/use-app-calls.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { SettingRow } from '../../../ui/forms/setting-row.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { text } from './desktop-text.ts';

const { secrets: words } = text;

/** Stores a fake key and searches everything on disk for it. */
export function SecretsTestRow() {
  const test = useSecretsTest();
  return (
    <>
      <SettingRow name={words.title} note={words.note}>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? words.running : words.run}
        </Button>
      </SettingRow>
      <div role="status" className="py-2">
        {test.isError && <Failure title={words.failed} error={test.error} onRetry={() => test.mutate()} />}
        {test.data && <Report report={test.data} />}
      </div>
    </>
  );
}

function Report({ report }: { report: SecretsTest }) {
  const { storage, backend, files, bytes, found, unread, backup } = report;
  const clean = found.length === 0;
  const where = storage === 'keychain' && backend !== null ? words.keptIn.keychain(backend) : words.keptIn.session;
  return (
    <Notice tone={clean ? 'info' : 'bad'}>
      <p>
        {where} {clean ? words.clean(files, bytes) : words.found(new Set(found.map(({ file }) => file)).size)}{' '}
        {unread.length > 0 && words.unread(unread.length)} {!backup && words.noBackup}
      </p>
      {!clean && (
        <ul className="mt-1 list-disc pl-5">
          {found.map(({ file, spelling }) => (
            <li key={`${file} ${spelling}`} className="wrap-anywhere">
              {words.foundIn(file, spelling)}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
