import {
  Activity,
  AppWindow,
  Archive,
  ArchiveRestore,
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  Bot,
  CircleUser,
  ClipboardCopy,
  Columns2,
  Copy,
  CopyPlus,
  Download,
  FilePlus2,
  Files,
  FolderInput,
  FolderPlus,
  Globe,
  Import,
  Keyboard,
  Languages,
  Layers,
  type LucideIcon,
  MessageCircleDashed,
  MessageSquare,
  MessagesSquare,
  Monitor,
  PanelLeft,
  Paperclip,
  Pencil,
  Pin,
  Play,
  RefreshCw,
  RotateCcw,
  Rows3,
  Scale,
  Search,
  Settings,
  SlidersHorizontal,
  Split,
  Square,
  SquarePen,
  SunMoon,
  Tag,
  TextCursorInput,
  TextQuote,
  TextSearch,
  Trash2,
  Wallet,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import { type Action, actionList } from '#shared/actions/action-list.ts';
import { getLocale, languages } from '#shared/language/messages.ts';
import { useBindings } from '../../actions/bindings.ts';
import { getOffer } from '../../actions/offers.ts';
import {
  useAppInfo,
  useConversations,
  useModels,
  useProviders,
  useSettings,
  useUpdateSettings,
} from '../../api/use-core.ts';
import { focusComposer, getHandle } from '../../handles/handles.ts';
import { newChat, useNav } from '../../navigation/nav.ts';
import { actionText, text } from '../../text/action-text.ts';
import { language, locale } from '../../text/language.ts';
import { text as settingsText } from '../../text/settings-text.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { usePrompts } from '../prompts/use-prompts.ts';
import { getHitAuthor } from '../search/hit-author.ts';
import { seekInTools } from '../search/seek-in-tools.ts';
import { useSearch } from '../search/use-search.ts';
import { type Entry, type EntryGroup, rankEntries } from './rank-entries.ts';
import { settingPlaces } from './setting-entries.ts';

/** The groups of actions that the palette shows. */
const paletteGroups = ['chat', 'app', 'go'] as const;
type PaletteAction = Extract<Action, { group: (typeof paletteGroups)[number] }>;

const actionIcons: Readonly<Record<PaletteAction['id'], LucideIcon>> = {
  newChat: SquarePen,
  newWindow: AppWindow,
  temporaryChat: MessageCircleDashed,
  newFolder: FolderPlus,
  importChats: Import,
  sidebar: PanelLeft,
  theme: SunMoon,
  systemTheme: Monitor,
  density: Rows3,
  zoomIn: ZoomIn,
  zoomOut: ZoomOut,
  zoomReset: Search,
  shortcuts: Keyboard,
  focusMessage: TextCursorInput,
  find: TextSearch,
  model: Bot,
  compare: Columns2,
  chatOptions: SlidersHorizontal,
  webSearch: Globe,
  attach: Paperclip,
  stop: Square,
  retryAnswer: RotateCcw,
  retryAnswerOther: RefreshCw,
  continueAnswer: Play,
  copyAnswer: Copy,
  editQuestion: Pencil,
  forkChat: Split,
  renameChat: Pencil,
  pinChat: Pin,
  moveChat: FolderInput,
  tagChat: Tag,
  copyChat: ClipboardCopy,
  duplicateChat: CopyPlus,
  exportChat: Download,
  archiveChat: Archive,
  trashChat: Trash2,
  restoreChat: ArchiveRestore,
  back: ArrowLeft,
  forward: ArrowRight,
  nextChat: ArrowDown,
  previousChat: ArrowUp,
  searchAll: Files,
  archivePage: Archive,
  trashPage: Trash2,
  modelsPage: Layers,
  whatIfPage: Split,
  usagePage: Activity,
  creditsPage: Wallet,
  reconciliationPage: Scale,
  accountPage: CircleUser,
  settings: Settings,
};

const also: Partial<Record<string, string>> = text.also;
const maxRecent = 5;
const maxChats = 8;
const minSearched = 2;

/** Returns the entries for a query. Without a query, these are the actions available here. */
export function useEntries(query: string) {
  const entries = useEverything();
  const recent = useSettings().data?.recentActions ?? [];
  const wanted = query.trim();
  const found = useSearch(wanted.length < minSearched ? '' : wanted);
  if (wanted === '') return { groups: firstGroups(entries, recent), nothing: false, searching: false };

  const { go } = useNav.getState();
  const searched = found.data ? found.hits : [];
  const known = new Set(entries.map(({ id }) => id));
  const titles: Entry[] = searched.flatMap(({ conversation, title, message }) =>
    message === null && !known.has(`chat:${conversation.id}`) ? [{ ...chatEntry(conversation), runs: title }] : [],
  );
  const messages: Entry[] = searched.flatMap(({ conversation, message }) =>
    message === null
      ? []
      : [
          {
            id: `message:${message.id}`,
            group: text.messages,
            label: conversation.title,
            note: getHitAuthor(message),
            snippet: message.snippet,
            icon: MessagesSquare,
            run: () => {
              seekInTools(message);
              go({ page: 'chat', conversationId: conversation.id, messageId: message.id });
            },
          },
        ],
  );
  const ranked = rankEntries(entries, wanted, recent);
  const groups = withMore(withMore(ranked, text.chats, titles), text.messages, messages);
  const searching = found.isFetching;
  return {
    groups: [...groups, { value: text.more, items: moreWays(wanted) }],
    nothing: groups.length === 0 && !searching,
    searching,
  };
}

/** Every action, page, chat, model and setting that can be run now. */
function useEverything(): Entry[] {
  const bindings = useBindings();
  const conversations = useConversations();
  const models = useModels();
  const servers = useProviders().data?.flatMap(({ name, server }) => (server ? [name] : [])) ?? [];
  const prompts = usePrompts();
  const update = useUpdateSettings();
  const capabilities = useAppInfo().data?.capabilities;
  const { loc, go } = useNav.getState();
  const isShown = (action: (typeof actionList)[number]): action is PaletteAction =>
    paletteGroups.some((group) => group === action.group);
  const actions = paletteGroups.flatMap((group) =>
    actionList.filter(isShown).flatMap((action): Entry[] => {
      const offer = action.group === group ? getOffer(action.id) : undefined;
      if (!offer) return [];
      const { id } = action;
      const label = offer.name ?? actionText[id];
      return [
        {
          id: `action:${id}`,
          group: text.groups[group],
          label,
          icon: actionIcons[id],
          also: also[id],
          keys: bindings[id][0],
          run: offer.run,
        },
      ];
    }),
  );
  const open = loc.page === 'chat' ? loc.conversationId : null;
  const others = languages.filter((candidate) => candidate !== language && candidate !== 'en-XA');
  return [
    ...actions,
    ...others.map((other) => ({
      id: `language:${other}`,
      group: text.groups.app,
      icon: Languages,
      label: text.languageLabel(new Intl.DisplayNames(locale, { type: 'language' }).of(getLocale[other]) ?? other),
      run: () => update.mutate({ language: other }),
    })),
    ...(conversations.data?.conversations ?? []).map(chatEntry),
    ...(models.data?.models ?? [])
      .filter(({ status, kind }) => (status === 'available' || status === 'degraded') && kind !== 'embedding')
      .map((model) => ({
        id: `model:${model.id}`,
        group: text.models,
        label: model.name,
        icon: actionIcons.model,
        note: open ? text.modelHere : text.modelNew,
        run: () => {
          useDrafts.getState().setModel(draftKey(open), model.id);
          if (loc.page !== 'chat') go(newChat);
          focusComposer();
        },
      })),
    ...(prompts.data ?? []).map((prompt) => ({
      id: `prompt:${prompt.id}`,
      group: text.prompts,
      label: prompt.name,
      icon: TextQuote,
      note: prompt.text.replace(/\s+/g, ' ').slice(0, 80),
      run: () => {
        if (loc.page !== 'chat') go(newChat);
        // Runs in the next frame, when the composer has been rendered.
        requestAnimationFrame(() => getHandle('composer')?.addPrompt(prompt));
      },
    })),
    ...settingPlaces(capabilities, servers).map(({ section, setting }) => ({
      id: `setting:${section}/${setting ?? ''}`,
      group: text.settings,
      icon: Settings,
      label: setting ?? settingsText.sections[section],
      note: setting === null ? '' : settingsText.sections[section],
      run: () => go({ page: 'settings', section, ...(setting === null ? {} : { setting }) }),
    })),
  ];
}

function chatEntry({ id, title }: { readonly id: string; readonly title: string }): Entry {
  const run = () => useNav.getState().go({ page: 'chat', conversationId: id });
  return { id: `chat:${id}`, group: text.chats, label: title, icon: MessageSquare, run };
}

/** Returns recent entries, the actions available here, and the newest chats. */
function firstGroups(entries: readonly Entry[], recent: readonly string[]): EntryGroup[] {
  const lately = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []).slice(0, maxRecent);
  const rest = entries.filter((entry) => !lately.includes(entry));
  const toGroup = (value: string, most = Number.POSITIVE_INFINITY) => ({
    value,
    items: rest.filter(({ group }) => group === value).slice(0, most),
  });
  const { chat, app, go } = text.groups;
  const groups = [
    { value: text.recent, items: lately },
    toGroup(chat),
    toGroup(text.chats, maxChats),
    toGroup(app),
    toGroup(go),
  ];
  return groups.filter(({ items }) => items.length > 0);
}

function withMore(groups: readonly EntryGroup[], value: string, items: readonly Entry[]): EntryGroup[] {
  if (items.length === 0) return [...groups];
  const group = groups.find((candidate) => candidate.value === value);
  if (!group) return [...groups, { value, items: items.slice(0, maxChats) }];
  return groups.map((candidate) =>
    candidate === group ? { value, items: [...candidate.items, ...items].slice(0, maxChats) } : candidate,
  );
}

/** Returns actions that work with any query. */
function moreWays(query: string): Entry[] {
  const { go } = useNav.getState();
  return [
    {
      id: 'more:ask',
      group: text.more,
      label: text.ask(query),
      icon: FilePlus2,
      run: () => {
        const { texts, setText } = useDrafts.getState();
        const key = draftKey(null);
        setText(key, texts[key] ? `${texts[key]}\n${query}` : query);
        go(newChat);
        focusComposer();
      },
    },
    {
      id: 'more:search',
      group: text.more,
      label: text.searchFor(query),
      icon: Search,
      run: () => go({ page: 'chats', view: 'active', query }),
    },
  ];
}
