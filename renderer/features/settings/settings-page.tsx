import '../../browser/no-compiling.ts';
import { ChevronRight } from 'lucide-react';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { ulid } from 'ulid';
import type { Provider } from '#shared/contract/app/providers.ts';
import { noParameters, noRouterOptions } from '#shared/contract/chat/options.ts';
import { type Preset, presetsFile } from '#shared/contract/chat/presets.ts';
import { type Prompt, promptsFile } from '#shared/contract/chat/prompts.ts';
import { useAppInfo, useProviders } from '../../api/use-core.ts';
import { saveFile } from '../../browser/save-file.ts';
import { useNarrow } from '../../browser/use-media.ts';
import { type SettingsSection, settingsSections } from '../../navigation/nav.ts';
import { PageHeader } from '../../page/page-header.tsx';
import { ViewBoundary } from '../../page/view-boundary.tsx';
import { text } from '../../text/settings-text.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Button } from '../../ui/elements/button.tsx';
import { Link } from '../../ui/elements/link.tsx';
import { SettingsHeading } from '../../ui/forms/setting-row.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { KeychainNotice } from '../../ui/notices/keychain-notice.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { CapsSection } from '../billing/caps/caps-section.tsx';
import { usePresetCalls, usePresets } from '../drafts/options/use-options.ts';
import { GatewaySection } from '../gateways/connection/gateway-section.tsx';
import { NetworkSection } from '../gateways/connection/network-section.tsx';
import { FindServers } from '../gateways/providers/find-servers.tsx';
import { OwnKeysNotice } from '../gateways/providers/own-keys-notice.tsx';
import { ProviderRow } from '../gateways/providers/provider-row.tsx';
import { isServerFormLeft, ServerForm } from '../gateways/providers/server-form.tsx';
import { ToolsSection } from '../gateways/tools/tools-section.tsx';
import { TransferSection } from '../library/transfer/transfer-section.tsx';
import { PresetForm, PromptForm } from '../prompts/library-forms.tsx';
import { LibraryList } from '../prompts/library-list.tsx';
import { usePromptCalls, usePrompts } from '../prompts/use-prompts.ts';
import { DataSection } from './backup/data-section.tsx';
import { AboutSection, AppearanceSection, ChatSection, PrivacySection } from './plain-sections.tsx';
import { ShortcutEditor } from './shortcuts/shortcut-editor.tsx';

const { library } = text;

/** Saved prompts and presets. */
function LibrarySection() {
  return (
    <>
      <Prompts />
      <Presets />
    </>
  );
}

const isKnown = (all: readonly { id: string }[] | undefined, last: { id: string } | null): boolean =>
  all?.some(({ id }) => id === last?.id) ?? false;

function Prompts() {
  const prompts = usePrompts();
  const { save, remove, exportAll, importFile } = usePromptCalls();
  const { inform, failed } = useNotify();
  const [editing, setEditing] = useState<Prompt | null>(null);
  const onError = (error: Error) => failed(library.notSaved, error);
  const take = async (file: File) => {
    const parsed = promptsFile.safeParse(await readJson(file));
    if (!parsed.success) return inform(library.notImported, library.wrongFile);
    importFile.mutate(parsed.data, {
      onSuccess: ({ added, skipped }) => inform(library.imported(added, skipped)),
      onError: (error) => failed(library.notImported, error),
    });
  };
  if (prompts.isError)
    return <Failure title={library.failed} error={prompts.error} onRetry={() => void prompts.refetch()} />;
  return (
    <LibraryList
      title={library.prompts}
      note={library.promptsNote}
      empty={library.noPrompts}
      add={library.addPrompt}
      entries={(prompts.data ?? []).map((prompt) => ({ ...prompt, note: prompt.text, badge: null }))}
      onAdd={() => setEditing({ id: ulid(), name: '', text: '' })}
      onEdit={(id) => setEditing(prompts.data?.find((prompt) => prompt.id === id) ?? null)}
      onRemove={(id) => remove.mutate(id, { onError })}
      onExport={() =>
        exportAll.mutate(undefined, { onSuccess: (file) => downloadJson('portico-prompts.json', file), onError })
      }
      onImport={(file) => void take(file)}
    >
      <Dialog
        open={editing !== null}
        onOpenChange={(open) => !open && setEditing(null)}
        title={isKnown(prompts.data, editing) ? library.editPrompt : library.addPrompt}
      >
        {editing && (
          <PromptForm
            prompt={editing}
            busy={save.isPending}
            onCancel={() => setEditing(null)}
            onSave={(prompt) => save.mutate(prompt, { onSuccess: () => setEditing(null), onError })}
          />
        )}
      </Dialog>
    </LibraryList>
  );
}

function Presets() {
  const presets = usePresets();
  const { save, remove, exportAll, importFile } = usePresetCalls();
  const { inform, failed } = useNotify();
  const [editing, setEditing] = useState<Preset | null>(null);
  const onError = (error: Error) => failed(library.notSaved, error);
  const take = async (file: File) => {
    const parsed = presetsFile.safeParse(await readJson(file));
    if (!parsed.success) return inform(library.notImported, library.wrongFile);
    importFile.mutate(parsed.data, {
      onSuccess: ({ added, skipped }) => inform(library.imported(added, skipped)),
      onError: (error) => failed(library.notImported, error),
    });
  };
  if (presets.isError)
    return <Failure title={library.failed} error={presets.error} onRetry={() => void presets.refetch()} />;
  return (
    <LibraryList
      title={library.presets}
      note={library.presetsNote}
      empty={library.noPresets}
      add={library.addPreset}
      entries={(presets.data ?? []).map(({ id, name, system, modelName, forNewChats }) => ({
        id,
        name,
        note: [modelName, system.slice(0, 120)].filter(Boolean).join(' · '),
        badge: forNewChats ? library.newChats : null,
      }))}
      onAdd={() =>
        setEditing({
          id: ulid(),
          name: '',
          system: '',
          model: null,
          parameters: noParameters,
          router: noRouterOptions,
          forNewChats: false,
        })
      }
      onEdit={(id) => setEditing(presets.data?.find((preset) => preset.id === id) ?? null)}
      onRemove={(id) => remove.mutate(id, { onError })}
      onExport={() =>
        exportAll.mutate(undefined, { onSuccess: (file) => downloadJson('portico-presets.json', file), onError })
      }
      onImport={(file) => void take(file)}
    >
      <Dialog
        open={editing !== null}
        onOpenChange={(open) => !open && setEditing(null)}
        title={isKnown(presets.data, editing) ? library.editPreset : library.addPreset}
        width="wide"
      >
        {editing && (
          <PresetForm
            preset={editing}
            busy={save.isPending}
            onCancel={() => setEditing(null)}
            onSave={(preset) => save.mutate(preset, { onSuccess: () => setEditing(null), onError })}
          />
        )}
      </Dialog>
    </LibraryList>
  );
}

function downloadJson(name: string, value: unknown): void {
  saveFile(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }), name);
}

/** Parses a file. Undefined if it is not JSON. */
async function readJson(file: File): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    // The caller’s schema refuses it, like any other wrong file.
    return undefined;
  }
}

const words = text.providers;

function ProvidersSection() {
  const list = useProviders();
  const info = useAppInfo();
  const keychain = info.data?.keychain;
  const [adding, setAdding] = useState(() => isServerFormLeft());
  const [added, setAdded] = useState<string | null>(null);
  const own = list.data?.filter((provider) => provider.ownServer || provider.server) ?? [];
  return (
    <>
      <p className="mb-3 text-fg-2">
        {words.intro} {keychain && words.keptIn(keychain.backend ?? text.privacy.thisSession)}
      </p>
      {keychain && <KeychainNotice keychain={keychain} />}
      {list.data?.some(({ state }) => state !== 'not_set') && <OwnKeysNotice />}
      {list.isPending && <SkeletonRows rows={4} label={text.loading} />}
      {list.isError && !list.data && (
        <Failure title={words.failed} error={list.error} onRetry={() => void list.refetch()} />
      )}
      <ProviderRows providers={list.data?.filter((provider) => !provider.ownServer && !provider.server) ?? []} />
      {own.length > 0 && (
        <>
          <SettingsHeading className="pt-6 pb-1">{words.ownServers}</SettingsHeading>
          <p className="mb-2 text-fg-2">{words.ownServersNote}</p>
          <FindServers />
          {adding ? (
            <ServerForm
              onCancel={() => setAdding(false)}
              onSaved={({ id }) => {
                setAdding(false);
                setAdded(id);
              }}
            />
          ) : (
            <Button className="mb-2" onClick={() => setAdding(true)}>
              {words.addServer}
            </Button>
          )}
          <ProviderRows providers={own} added={added} />
        </>
      )}
    </>
  );
}

function ProviderRows({ providers, added = null }: { providers: readonly Provider[]; added?: string | null }) {
  return (
    <ul>
      {providers.map((provider) => (
        <ProviderRow key={provider.id} provider={provider} isNew={provider.id === added} />
      ))}
    </ul>
  );
}

const patienceMs = 5000;
const controls = 'input, select, textarea, [role="switch"], button:not([disabled])';

/**
 * Scrolls to a row of the settings and focuses its control as soon as the row exists. Returns a function that cancels
 * this.
 */
function goToSetting(page: HTMLElement, name: string): () => void {
  const tryScroll = () => {
    const row = page.querySelector<HTMLElement>(`[data-setting="${CSS.escape(name)}"]`);
    if (!row) return;
    stop();
    row.scrollIntoView({ block: 'center' });
    (row.querySelector<HTMLElement>(controls) ?? row).focus({ preventScroll: true });
    row.dataset.found = '';
    setTimeout(() => delete row.dataset.found, 2000);
  };
  const observer = new MutationObserver(tryScroll);
  const late = setTimeout(() => observer.disconnect(), patienceMs);
  const stop = () => {
    observer.disconnect();
    clearTimeout(late);
  };
  observer.observe(page, { childList: true, subtree: true });
  tryScroll();
  return stop;
}

const sections: Readonly<Record<SettingsSection, ComponentType>> = {
  providers: ProvidersSection,
  gateway: GatewaySection,
  network: NetworkSection,
  chat: ChatSection,
  tools: ToolsSection,
  prompts: LibrarySection,
  caps: CapsSection,
  appearance: AppearanceSection,
  keyboard: ShortcutEditor,
  data: () => (
    <>
      <DataSection />
      <TransferSection />
    </>
  ),
  privacy: PrivacySection,
  about: AboutSection,
};

interface SettingsPageProps {
  section: SettingsSection | null;
  /** The row to scroll to. */
  setting?: string | undefined;
}

/** The list of sections and the chosen section. A narrow window shows only one of them at a time. */
export function SettingsPage({ section, setting }: SettingsPageProps) {
  const narrow = useNarrow();
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => (page.current && setting ? goToSetting(page.current, setting) : undefined), [setting]);
  const shown = section ?? (narrow ? null : 'providers');
  const Section = shown && sections[shown];
  return (
    <>
      <PageHeader title={text.title} />
      <div className="flex min-h-0 flex-1">
        {(!narrow || shown === null) && (
          <nav aria-label={text.sectionList} className="w-52 shrink-0 overflow-y-auto px-3 py-1 max-[719px]:w-full">
            {settingsSections.map((name) => (
              <Link
                key={name}
                to={{ page: 'settings', section: name }}
                aria-current={name === shown ? 'page' : undefined}
                className="flex h-row items-center rounded-control px-2 text-fg-2 hover:bg-hover hover:text-fg aria-[current=page]:bg-active aria-[current=page]:font-medium aria-[current=page]:text-fg"
              >
                <span className="flex-1">{text.sections[name]}</span>
                {narrow && <ChevronRight size={14} aria-hidden />}
              </Link>
            ))}
          </nav>
        )}
        {Section && (
          <div ref={page} className="min-w-0 flex-1 overflow-y-auto px-6 pb-10 max-sm:px-4">
            <div className="mx-auto max-w-[640px]">
              {narrow && (
                <Link to={{ page: 'settings', section: null }} className="inline-flex h-8 items-center text-accent">
                  {text.allSections}
                </Link>
              )}
              <ViewBoundary key={shown} name={text.sections[shown]}>
                <h2 className="pt-3 pb-2 font-semibold text-xl tracking-[-0.012em]">{text.sections[shown]}</h2>
                <Section />
              </ViewBoundary>
            </div>
          </div>
        )}
      </div>
    </>
  );
}
