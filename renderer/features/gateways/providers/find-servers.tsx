import type { LocalServer } from '#shared/contract/app/providers.ts';
import { useDiscovery } from '../../../api/use-settings-calls.ts';
import { describeError } from '../../../text/error-text.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { useProviderCalls } from './use-provider-calls.ts';

const words = text.providers;

/** Finds model servers on this machine, on request. */
export function FindServers() {
  const discovery = useDiscovery();
  const { data: found } = discovery;
  return (
    <div className="mb-2 flex flex-col items-start gap-2">
      <Button disabled={discovery.isPending} onClick={() => discovery.mutate()}>
        {discovery.isPending ? words.finding : words.find}
      </Button>
      <div role="status" className="w-full text-fg-2 text-sm">
        {discovery.isError && <p className="text-bad">{describeError(discovery.error).sentence}</p>}
        {found && <p>{words.found(found.length)}</p>}
      </div>
      {found && found.length > 0 && (
        <ul aria-label={words.foundList} className="w-full rounded-menu border border-line bg-sunken px-3">
          {found.map((server) => (
            <FoundServer key={server.baseUrl} server={server} />
          ))}
        </ul>
      )}
    </div>
  );
}

function FoundServer({ server }: { server: LocalServer }) {
  const { setKey } = useProviderCalls();
  const { failed } = useNotify();
  const use = words.actionsFor(words.use, server.name);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b py-2.5 last:border-b-0">
      <ProviderMark provider={server.id} size={24} />
      <div className="min-w-40 flex-1">
        <p className="font-medium">{server.name}</p>
        <p className="text-fg-3 text-xs wrap-anywhere">
          {server.baseUrl} · {words.modelCount(server.models.length)}
        </p>
      </div>
      <Button
        variant="primary"
        aria-label={use}
        disabled={setKey.isPending || setKey.isSuccess}
        onClick={() =>
          setKey.mutate(
            { id: server.id, key: null, baseUrl: server.baseUrl },
            { onError: (error) => failed(use, error) },
          )
        }
      >
        {setKey.isPending ? words.checking : setKey.isSuccess ? words.inUse : words.use}
      </Button>
    </li>
  );
}
