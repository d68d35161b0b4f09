import { Bot, FilePlus2, Languages, MessageSquare, MessagesSquare, Search, Settings, TextQuote } from 'lucide-react';
import { actionList } from '#shared/actions/action-list.ts';
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
import { actionText, alsoCalled, text } from '../../text/action-text.ts';
import { language, locale } from '../../text/language.ts';
import { text as settingsText } from '../../text/settings-text.ts';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { usePrompts } from '../prompts/use-prompts.ts';
import { getHitAuthor } from '../search/hit-author.ts';
import { seekInTools } from '../search/seek-in-tools.ts';
import { useSearch } from '../search/use-search.ts';
import * as icons from './action-icons.ts';
import { type Entry, type EntryGroup, rankEntries } from './rank-entries.ts';
import { settingPlaces } from './setting-entries.ts';

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
  const actions = actionList.flatMap(({ id, group, icon }): Entry[] => {
    const offer = icon && getOffer(id);
    if (!offer) return [];
    return [
      {
        id: `action:${id}`,
        group: text.groups[group],
        label: offer.name ?? actionText[id],
        // biome-ignore lint/performance/noDynamicNamespaceImportAccess: it holds the icons of actions and nothing else
        icon: icons[icon],
        also: alsoCalled[id],
        keys: bindings[id][0],
        run: offer.run,
      },
    ];
  });
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
        icon: Bot,
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
