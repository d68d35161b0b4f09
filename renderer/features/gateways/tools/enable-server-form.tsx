import type { ToolServer } from '#shared/contract/app/tools.ts';
import { text } from '../../../text/tools-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ToolList, TransportLine } from './tool-list.tsx';
import { useToolCalls } from './use-tools.ts';

/** The server to be trusted; the core refuses if it has changed since. */
export function EnableServerForm({ server, onDone }: { server: ToolServer; onDone: () => void }) {
  const { enable } = useToolCalls();
  const { failed } = useNotify();
  return (
    <>
      <p className="mb-2 text-fg-2">{text.enableBody}</p>
      <TransportLine transport={server.transport} />
      <div className="mt-3">
        <ToolList label={text.toolsOf(server.name)} tools={server.tools} />
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button
          variant="primary"
          disabled={enable.isPending || server.tools.length === 0}
          onClick={() =>
            enable.mutate(
              { id: server.id, enabled: true, fingerprint: server.fingerprint },
              { onSettled: onDone, onError: (error) => failed(text.notOn, error) },
            )
          }
        >
          {text.switchOn}
        </Button>
      </div>
    </>
  );
}
