import { useState } from 'react';
import type { ToolServer } from '#shared/contract/app/tools.ts';
import { text } from '../../../text/tools-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Badge } from '../../../ui/elements/badge.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { EnableServerForm } from './enable-server-form.tsx';
import { useReachServer } from './reach-server.ts';
import { ServerConsent } from './server-consent.tsx';
import { ToolList, TransportLine } from './tool-list.tsx';
import { ServerForm } from './tool-server-form.tsx';
import { useToolCalls } from './use-tools.ts';

const tones = { off: 'plain', asking: 'warn', starting: 'plain', ready: 'ok', failed: 'bad' } as const;

/** One tool server, its state and actions. */
export function ServerRow({ server }: { server: ToolServer }) {
  const [open, setOpen] = useState<'tools' | 'editing' | 'removing' | null>(null);
  const [seen, setSeen] = useState<ToolServer | null>(null);
  const { enable, disallow } = useToolCalls();
  const reaching = useReachServer(server.id);
  const { reach, isPending } = reaching;
  const { say, failed } = useNotify();
  const named = (action: string) => text.actionFor(action, server.name);
  const switchTo = (on: boolean) => {
    if (on) return reach(setSeen);
    enable.mutate(
      { id: server.id, enabled: false, fingerprint: server.fingerprint },
      { onError: (error) => failed(text.notSwitched, error) },
    );
  };
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-40 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <span className="wrap-anywhere">{server.name}</span>
            <Badge tone={tones[server.state]}>{text.states[server.state]}</Badge>
            {server.changed && <Badge tone="warn">{text.changedBadge}</Badge>}
          </p>
          <TransportLine transport={server.transport} />
        </div>
        <Switch
          label={text.switchFor(server.name)}
          checked={server.enabled}
          disabled={enable.isPending}
          onChange={switchTo}
        />
      </div>
      <ServerConsent server={server} reaching={reaching} />
      {server.changed && <p className="mt-1 text-sm text-warn">{text.changedNote}</p>}
      <div className="mt-2 flex flex-wrap gap-1.5">
        {(server.changed || (server.enabled && !server.allowed)) && (
          <Button aria-label={named(text.look)} aria-disabled={isPending} onClick={() => reach(setSeen)}>
            {text.look}
          </Button>
        )}
        <Button
          aria-label={named(text.test)}
          aria-disabled={isPending}
          onClick={() => reach(({ name, tools }) => say(text.tested(name, tools.length)))}
        >
          {isPending && server.state !== 'asking' ? text.testing : text.test}
        </Button>
        {server.tools.length > 0 && (
          <Button
            aria-label={text.toolsOf(server.name)}
            aria-expanded={open === 'tools'}
            onClick={() => setOpen(open === 'tools' ? null : 'tools')}
          >
            {text.tools(server.tools.length)}
          </Button>
        )}
        <Button aria-label={named(text.edit)} onClick={() => setOpen('editing')}>
          {text.edit}
        </Button>
        {server.allowed && (
          <Button
            aria-label={named(text.disallow)}
            disabled={disallow.isPending}
            onClick={() => disallow.mutate(server.id, { onError: (error) => failed(text.notTaken, error) })}
          >
            {text.disallow}
          </Button>
        )}
        <Button variant="danger" aria-label={named(text.remove)} onClick={() => setOpen('removing')}>
          {text.remove}
        </Button>
      </div>
      {open === 'tools' && (
        <div className="mt-3">
          <ToolList label={text.toolsOf(server.name)} tools={server.tools} />
        </div>
      )}
      <Dialog open={seen !== null} onOpenChange={(on) => !on && setSeen(null)} title={text.enableTitle(server.name)}>
        {seen && <EnableServerForm server={seen} onDone={() => setSeen(null)} />}
      </Dialog>
      <Dialog open={open === 'editing'} onOpenChange={(on) => !on && setOpen(null)} title={text.form.edit(server.name)}>
        <ServerForm server={server} onDone={() => setOpen(null)} />
      </Dialog>
      <Dialog
        open={open === 'removing'}
        onOpenChange={(on) => !on && setOpen(null)}
        title={text.removeTitle(server.name)}
      >
        <RemoveForm server={server} onDone={() => setOpen(null)} />
      </Dialog>
    </li>
  );
}

function RemoveForm({ server, onDone }: { server: ToolServer; onDone: () => void }) {
  const { remove } = useToolCalls();
  const { failed } = useNotify();
  return (
    <>
      <p className="text-fg-2">{text.removeBody}</p>
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onDone}>{text.cancel}</Button>
        <Button
          variant="danger"
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(server.id, { onSuccess: onDone, onError: (error) => failed(text.notRemoved, error) })
          }
        >
          {text.remove}
        </Button>
      </div>
    </>
  );
}
