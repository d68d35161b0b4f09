import { useState } from 'react';
import type { Tool, ToolPermission, ToolServer } from '#shared/contract/app/tools.ts';
import { useConversations } from '../../../api/use-core.ts';
import { describeError, getSentence } from '../../../text/error-text.ts';
import { getTitle, text } from '../../../text/tools-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/elements/button.tsx';
import { Form } from '../../../ui/forms/form.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { Switch } from '../../../ui/forms/switch.tsx';
import { TextArea } from '../../../ui/forms/text-area.tsx';
import { Failure } from '../../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { ServerRow } from './server-row.tsx';
import { ServerForm } from './tool-server-form.tsx';
import { useToolCalls, useTools } from './use-tools.ts';

const words = text.importing;

/** Imports servers from another program’s settings and shows the result. */
function ImportServersForm({ onDone }: { onDone: () => void }) {
  const [json, setJson] = useState('');
  const { import: read } = useToolCalls();
  const failure = read.isError ? describeError(read.error) : undefined;
  if (read.data) {
    return (
      <>
        <p role="status">{words.added(read.data.added.length)}</p>
        {read.data.leftOut.length > 0 && (
          <>
            <p className="mt-2 text-fg-2">{words.leftOut}</p>
            <ul className="list-disc pl-5 text-fg-2">
              {read.data.leftOut.map(({ name, reason }) => (
                <li key={name} className="wrap-anywhere">{`${name}: ${getSentence(reason)}`}</li>
              ))}
            </ul>
          </>
        )}
        <div className="mt-4 flex justify-end">
          <Button variant="primary" autoFocus onClick={onDone}>
            {words.done}
          </Button>
        </div>
      </>
    );
  }
  return (
    <Form
      saveLabel={words.act}
      cancelLabel={text.cancel}
      ready={json.trim() !== ''}
      busy={read.isPending}
      failure={failure && `${failure.sentence} ${failure.remedy}`}
      onSave={() => read.mutate(json, { onSuccess: () => setJson('') })}
      onCancel={onDone}
    >
      <TextArea
        label={words.json}
        note={words.note}
        autoFocus
        spellCheck={false}
        rows={8}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
    </Form>
  );
}

/** Settings → Tools: built-in tools, servers and permissions. */
export function ToolsSection() {
  const tools = useTools();
  if (tools.isError && !tools.data)
    return <Failure title={text.failed} error={tools.error} onRetry={() => void tools.refetch()} />;
  if (!tools.data) return <SkeletonRows rows={6} label={text.loading} />;
  return (
    <>
      <p className="mb-4 text-fg-2">{text.intro}</p>
      <BuiltIn tools={tools.data.builtIn} />
      <Servers servers={tools.data.servers} />
      <Permissions permissions={tools.data.permissions} />
    </>
  );
}

function BuiltIn({ tools }: { tools: readonly (Tool & { enabled: boolean })[] }) {
  const { enableBuiltIn } = useToolCalls();
  const { failed } = useNotify();
  return (
    <section aria-label={text.builtIn} className="mb-8">
      <SettingsHeading>{text.builtIn}</SettingsHeading>
      <p className="text-fg-3 text-xs">{text.builtInNote}</p>
      <ul className="divide-y divide-line">
        {tools.map(({ name, enabled, ...own }) => {
          const title = getTitle({ name, run: own });
          const description = text.builtInTools[name] ?? own.description;
          return (
            <li key={name} className="flex items-center gap-4 py-2.5">
              <div className="min-w-0 flex-1">
                <p className="font-medium">{title}</p>
                <p className="text-fg-3 text-xs">{description}</p>
              </div>
              <Switch
                label={title}
                checked={enabled}
                disabled={enableBuiltIn.isPending}
                onChange={(enabled) =>
                  enableBuiltIn.mutate(
                    { name, enabled: enabled },
                    { onError: (error) => failed(text.notSwitched, error) },
                  )
                }
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Servers({ servers }: { servers: readonly ToolServer[] }) {
  const [open, setOpen] = useState<'add' | 'import' | null>(null);
  const close = () => setOpen(null);
  return (
    <section aria-label={text.servers} className="mb-8">
      <div className="flex flex-wrap items-center gap-2">
        <SettingsHeading className="flex-1">{text.servers}</SettingsHeading>
        <Button variant="quiet" onClick={() => setOpen('import')}>
          {text.import}
        </Button>
        <Button onClick={() => setOpen('add')}>{text.add}</Button>
      </div>
      <p className="mt-1 text-fg-3 text-xs">{text.serversNote}</p>
      {servers.length === 0 && <p className="py-2 text-fg-2 text-sm">{text.noServers}</p>}
      <ul className="divide-y divide-line">
        {servers.map((server) => (
          <ServerRow key={server.id} server={server} />
        ))}
      </ul>
      <Dialog open={open === 'add'} onOpenChange={(isOpen) => !isOpen && close()} title={text.form.add}>
        <ServerForm server={null} onDone={close} />
      </Dialog>
      <Dialog
        open={open === 'import'}
        onOpenChange={(isOpen) => !isOpen && close()}
        title={text.importing.title}
        width="wide"
      >
        <ImportServersForm onDone={close} />
      </Dialog>
    </section>
  );
}

function Permissions({ permissions }: { permissions: readonly ToolPermission[] }) {
  const { forget } = useToolCalls();
  const { failed } = useNotify();
  const conversations = useConversations();
  const where = (id: string | null) => {
    if (id === null) return text.everyChat;
    const title = conversations.data?.conversations.find((conversation) => conversation.id === id)?.title;
    return title ? text.inChat(title) : text.oneChat;
  };
  return (
    <section aria-label={text.permissions}>
      <SettingsHeading>{text.permissions}</SettingsHeading>
      <p className="text-fg-3 text-xs">{text.permissionsNote}</p>
      {permissions.length === 0 && <p className="py-2 text-fg-2 text-sm">{text.noPermissions}</p>}
      <ul className="divide-y divide-line">
        {permissions.map(({ id, tool, serverName, conversationId }) => (
          <li key={id} className="flex min-h-12 items-center gap-3 py-1.5">
            <p className="min-w-0 flex-1 wrap-anywhere">
              {text.permission(tool, serverName)} <span className="text-fg-3">{where(conversationId)}</span>
            </p>
            <Button
              variant="quiet"
              aria-label={text.actionFor(text.takeBack, text.permission(tool, serverName))}
              onClick={() => forget.mutate(id, { onError: (error) => failed(text.notTaken, error) })}
            >
              {text.takeBack}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
