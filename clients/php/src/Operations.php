<?php

// Generated from the OpenAPI document by `bun run clients`. Do not edit.

declare(strict_types=1);

namespace Waxwing;

/**
 * The calls of the API.
 *
 * @phpstan-type AddConversationNote array{text: string}
 * @phpstan-type AddWebhook array{url: string, types?: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, group_bursts?: string|null}
 * @phpstan-type AddressRequest array{country: string, values?: AddressValues}
 * @phpstan-type AddressValues array{name?: string, phone_number?: string, in_pin_code?: string, house_number?: string, floor_number?: string, tower_number?: string, building_name?: string, address?: string, landmark_area?: string, city?: string, state?: string}
 * @phpstan-type Billing array{currency: string, available: string, rate: string}
 * @phpstan-type Broadcast array{id: int, name: string, status: 'scheduled'|'queueing'|'running'|'paused'|'completed'|'cancelled'|'failed', status_reason: string|null, template: MessageTemplate, from: string, counts: BroadcastCounts, held: int, charged: string|null, settled: bool, send_at: string|null, started_at: string|null, completed_at: string|null, created_at: string}
 * @phpstan-type BroadcastBlockedEvent array{id: string, type: 'broadcast.blocked', created_at: string, data: array{broadcast: Broadcast}}
 * @phpstan-type BroadcastCard array{media?: CardMedia, product?: string, body?: list<string|int|float|ContactFieldValue>|array<string, string|int|float|ContactFieldValue>, buttons?: list<string|int|float|null|ContactFieldValue>}
 * @phpstan-type BroadcastCounts array{total: int, sent: int, delivered: int, read: int, failed: int, skipped: int}
 * @phpstan-type BroadcastFinishedEvent array{id: string, type: 'broadcast.finished', created_at: string, data: array{broadcast: Broadcast}}
 * @phpstan-type BroadcastPausedEvent array{id: string, type: 'broadcast.paused', created_at: string, data: array{broadcast: Broadcast}}
 * @phpstan-type BroadcastPreview array{requested: int, reached: int, skipped: SkipCounts, skips: list<PreviewSkip>, cost: PreviewCost|null, daily_cap_left: int|null, network_limit: NetworkLimit|null, warnings: list<string>, starts_at: string, ends_at: string}
 * @phpstan-type BroadcastResumedEvent array{id: string, type: 'broadcast.resumed', created_at: string, data: array{broadcast: Broadcast}}
 * @phpstan-type BroadcastToGroup array{name: string, template: string, language?: string, variables?: BroadcastVariables, media?: HeaderMedia, location?: Location, offer_expires_at?: string, cards?: list<BroadcastCard>, products?: TemplateProducts, from?: string, send_at?: string, group: int}
 * @phpstan-type BroadcastToList array{name: string, template: string, language?: string, variables?: BroadcastVariables, media?: HeaderMedia, location?: Location, offer_expires_at?: string, cards?: list<BroadcastCard>, products?: TemplateProducts, from?: string, send_at?: string, to: list<string>}
 * @phpstan-type BroadcastVariables list<string|int|float|ContactFieldValue>|array{header?: list<string|int|float|ContactFieldValue>, body?: list<string|int|float|ContactFieldValue>, buttons?: list<string|int|float|null|ContactFieldValue>}|NamedBroadcastVariables
 * @phpstan-type CardAddress array{street?: string, city?: string, state?: string, zip?: string, country?: string, country_code?: string, type?: string}
 * @phpstan-type CardEmail array{email: string, type?: string}
 * @phpstan-type CardMedia CardMediaByLink|CardMediaById
 * @phpstan-type CardMediaById array{id: int}
 * @phpstan-type CardMediaByLink array{link: string}
 * @phpstan-type CardName array{formatted_name: string, first_name?: string, last_name?: string, middle_name?: string, suffix?: string, prefix?: string}
 * @phpstan-type CardOrganization array{company?: string, department?: string, title?: string}
 * @phpstan-type CardPhone array{phone: string, type?: string, wa_id?: string}
 * @phpstan-type CardUrl array{url: string, type?: string}
 * @phpstan-type ChangeConversation array{state?: 'open'|'snoozed'|'done', snoozed_until?: string|null, assignee?: string|null, take?: bool}
 * @phpstan-type ChangeWebhook array{url?: string, types?: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, state?: 'active'|'disabled', group_bursts?: string|null}
 * @phpstan-type ChoiceList array{button: string, sections: list<ListSection>}
 * @phpstan-type Contact array{phone: string|null, user_id: string|null, username: string|null, name: string|null, first_name: string|null, last_name: string|null, email: string|null, city: string|null, state: string|null, postal_code: string|null, company: string|null, birthday: string|null, anniversary: string|null, fields: array<string, mixed>, people: list<PersonOnNumber>, tags: list<string>, groups: list<ContactGroup>, consent: ContactConsent, last_message_from_them_at: string|null, window_ends_at: string|null, threads: list<array{number: string, owner: 'us'|'other'|'nobody', since: string}>, created_at: string, updated_at: string}
 * @phpstan-type ContactCard array{name: CardName, phones?: list<CardPhone>, emails?: list<CardEmail>, urls?: list<CardUrl>, addresses?: list<CardAddress>, org?: CardOrganization, birthday?: string}
 * @phpstan-type ContactComparison array{fields: list<array{field: string, stays: string|int|float|bool|null, goes: string|int|float|bool|null, differs: bool}>, consent: array{stays: 'unknown'|'opted_in'|'opted_out', goes: 'unknown'|'opted_in'|'opted_out', becomes: 'unknown'|'opted_in'|'opted_out'}, further_phone: string|null, moves: array{sent: int, of_broadcasts: int, scheduled: int, received: int, by_other_senders: int, notes: int, files: int, tags: int, groups: int}, seen: string}
 * @phpstan-type ContactConsent array{status: 'unknown'|'opted_in'|'opted_out', source: 'inbound_message'|'manual'|'bulk'|'import'|'api'|null, at: string|null, purpose: string|null, notice: string|null, may_want_to_stop_since: string|null}
 * @phpstan-type ContactErasedEvent array{id: string, type: 'contact.erased', created_at: string, data: array{phone: string|null, user_id: string|null}}
 * @phpstan-type ContactFieldValue array{field: string, fallback?: string}
 * @phpstan-type ContactGroup array{id: int, name: string}
 * @phpstan-type ContactInput array{name?: string|null, first_name?: string|null, last_name?: string|null, email?: string|null, city?: string|null, state?: string|null, postal_code?: string|null, company?: string|null, birthday?: string|null, anniversary?: string|null, fields?: array<string, mixed>, people?: list<PersonInput>, add_tags?: list<string>, remove_tags?: list<string>, add_to_groups?: list<int|string>, remove_from_groups?: list<int|string>, consent?: 'opted_in'|'opted_out', may_want_to_stop?: false, consent_purpose?: string, consent_notice?: string}
 * @phpstan-type ContactMayWantToStopEvent array{id: string, type: 'contact.may_want_to_stop', created_at: string, data: array{contact: Contact, text: string}}
 * @phpstan-type ContactOfManyInput array{phone: string, name?: string|null, first_name?: string|null, last_name?: string|null, email?: string|null, city?: string|null, state?: string|null, postal_code?: string|null, company?: string|null, birthday?: string|null, anniversary?: string|null, fields?: array<string, mixed>, people?: list<PersonInput>, add_tags?: list<string>, remove_tags?: list<string>, add_to_groups?: list<int|string>, remove_from_groups?: list<int|string>, consent?: 'opted_in'|'opted_out', may_want_to_stop?: false, consent_purpose?: string, consent_notice?: string}
 * @phpstan-type ContactOptedInEvent array{id: string, type: 'contact.opted_in', created_at: string, data: array{contact: Contact}}
 * @phpstan-type ContactOptedOutEvent array{id: string, type: 'contact.opted_out', created_at: string, data: array{contact: Contact}}
 * @phpstan-type ContactResult array{phone: string|null, status: 200|201|400|422, contact?: Contact, error?: InvalidRequestError|InvalidNumberError|OptedOutError}
 * @phpstan-type ContactUpdatedEvent array{id: string, type: 'contact.updated', created_at: string, data: array{contact: Contact}}
 * @phpstan-type ContactsContent array{contacts: list<ContactCard>}
 * @phpstan-type ContactsInput array{contacts: list<ContactOfManyInput>}
 * @phpstan-type ContactsMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'contacts', category: null, template: null, content: ContactsContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: false, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type ControlThread array{action: 'take'|'release'|'pass', to?: 'ai_agent'}
 * @phpstan-type Conversation array{id: int, contact: Contact, number: string, owner: 'us'|'other'|'nobody', owner_since: string, state: 'open'|'snoozed'|'done', snoozed_until: string|null, assignee: string|null, block_state: 'blocked'|'checking'|null, unread: int, last_message: ConversationEntry|null, window_ends_at: string|null}
 * @phpstan-type ConversationEntry array{direction: 'in'|'out', id: int|null, origin: 'messages'|'standby'|'history'|'phone'|'control_pass'|'api'|'console'|'broadcast'|'automation', sent_by: SentBy|null, type: string, text: string|null, details: InboundDetails, control_pass?: array{from: string|null, to: string|null}, status: string|null, at: string}
 * @phpstan-type ConversationNote array{id: int, text: string, author: array{kind: 'user'|'api', name: string}, created_at: string}
 * @phpstan-type ConversationUpdatedEvent array{id: string, type: 'conversation.updated', created_at: string, data: array{conversation: Conversation}}
 * @phpstan-type CorrectTemplate array{name?: string, language?: string, category: 'MARKETING'|'UTILITY'|'AUTHENTICATION', parameter_format?: 'POSITIONAL'|'NAMED', message_send_ttl_seconds?: int, from?: string, sample_media?: array{header?: int, cards?: list<int>}, components: list<array{type: string}>}
 * @phpstan-type CreateBroadcast BroadcastToList|BroadcastToGroup
 * @phpstan-type CreatedBroadcast array{id: int, name: string, status: 'scheduled'|'queueing'|'running'|'paused'|'completed'|'cancelled'|'failed', status_reason: string|null, template: MessageTemplate, from: string, counts: BroadcastCounts, held: int, charged: string|null, settled: bool, send_at: string|null, started_at: string|null, completed_at: string|null, created_at: string, requested: int, skipped: list<Skip>}
 * @phpstan-type DeletedTemplates array{name: string, languages: list<string>}
 * @phpstan-type DifferentPeople array{different: bool}
 * @phpstan-type DuplicateContact array{phone: string|null, user_id: string|null, name: string|null, email: string|null, birthday: string|null, consent: 'unknown'|'opted_in'|'opted_out', last_message_from_them_at: string|null, created_at: string}
 * @phpstan-type DuplicatePair array{reasons: list<'network'|'same_number'|'same_email'|'same_name_and_birthday'>, one: DuplicateContact, other: DuplicateContact}
 * @phpstan-type WebhookEvent MessageSentEvent|MessageDeliveredEvent|MessageReadEvent|MessageFailedEvent|MessageScheduledEvent|MessageCancelledEvent|MessageReceivedEvent|MediaStoredEvent|MediaFailedEvent|ContactOptedOutEvent|ContactOptedInEvent|ContactMayWantToStopEvent|ContactUpdatedEvent|ConversationUpdatedEvent|ContactErasedEvent|BroadcastPausedEvent|BroadcastResumedEvent|BroadcastBlockedEvent|BroadcastFinishedEvent|TemplateApprovedEvent|TemplateRejectedEvent|TemplateUpdatedEvent|WebhookTestEvent
 * @phpstan-type EventLogPage array{per_page: int, signatures?: list<string|null>, cursors?: list<string>, has_more: bool, next: string}
 * @phpstan-type FileHeader FileHeaderByLink|FileHeaderById
 * @phpstan-type FileHeaderById array{id: int, type: 'image'|'video'|'document', filename?: string}
 * @phpstan-type FileHeaderByLink array{link: string, type: 'image'|'video'|'document', filename?: string}
 * @phpstan-type Flow array{id: string, cta: string, token?: string, screen?: string, data?: array<string, mixed>}
 * @phpstan-type Group array{id: int, name: string, type: 'static'|'dynamic', count: int}
 * @phpstan-type HeaderMedia HeaderMediaByLink|HeaderMediaById
 * @phpstan-type HeaderMediaById array{id: int, filename?: string}
 * @phpstan-type HeaderMediaByLink array{link: string, filename?: string}
 * @phpstan-type InboundDetails array{media?: ReceivedMedia, button?: array{title: string|null, payload: string|null}, list?: array{id: string|null, title: string|null, description: string|null}, form?: array{name: string|null, values: array<string, mixed>|null, text?: string, is_cut?: bool, files?: list<array{id: int, mime_type: string|null, sha256: string|null, filename: string|null}>}, order?: array{catalog_id?: string, items: list<array{product: string|null, quantity: int|float|null, price: int|float|null, currency?: string|null}>, currency: string|null, total: int|float|null}, location?: array{latitude: int|float|null, longitude: int|float|null, name: string|null, address: string|null, url: string|null}, contacts?: list<array{name: string|null, company: string|null, phones: list<string>, emails: list<string>, card?: mixed}>, reaction?: array{emoji: string|null, message_id?: int|null, direction?: 'out', to?: NamedMessage|null}, reply_to?: array{message_id: int|null, direction?: 'out', inbound?: int, message?: int}, referral?: array{source: string|null, source_type: string|null, source_id: string|null, headline: string|null, body: string|null, click_id: string|null, media_type?: string, media_url?: string, thumbnail_url?: string, welcome?: string}, forwarded?: array{often: bool}, product?: array{catalog: string|null, product: string|null}, call?: array{direction: string|null, status: string|null}, number_change?: array{from: string|null, to: string|null}, edited?: array{message_id: int|null, direction?: 'out', inbound?: int, message?: int}, deleted?: array{message_id: int|null, direction?: 'out', inbound?: int, message?: int}, unsupported?: array{reason: string|null, type?: string|null}, raw?: mixed}
 * @phpstan-type InboundMessage array{id: int, from: string|null, to: string, type: string, text: string|null, details: InboundDetails, origin?: 'standby', received_at: string}
 * @phpstan-type Interactive InteractiveButtons|InteractiveList|InteractiveLink|InteractiveLocationRequest|InteractiveAddress|InteractiveFlow
 * @phpstan-type InteractiveAddress array{body: string, header?: string|FileHeader, footer?: string, address: AddressRequest}
 * @phpstan-type InteractiveButtons array{body: string, header?: string|FileHeader, footer?: string, buttons: list<ReplyButton>}
 * @phpstan-type InteractiveContent array{interactive: array{body: string, header?: string|SentFileHeader, footer?: string, buttons?: list<ReplyButton>, list?: ChoiceList, link?: LinkButton, location_request?: true, address?: AddressRequest, flow?: Flow}}
 * @phpstan-type InteractiveFlow array{body: string, header?: string|FileHeader, footer?: string, flow: Flow}
 * @phpstan-type InteractiveLink array{body: string, header?: string|FileHeader, footer?: string, link: LinkButton}
 * @phpstan-type InteractiveList array{body: string, header?: string, footer?: string, list: ChoiceList}
 * @phpstan-type InteractiveLocationRequest array{body: string, location_request: true}
 * @phpstan-type InteractiveMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'interactive', category: 'utility'|null, template: null, content: InteractiveContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: bool, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type LibraryTemplate array{name: string, language: string, category: 'MARKETING'|'UTILITY'|'AUTHENTICATION', topic: string|null, usecase: string|null, industry: list<string>, header: string|null, body: string, body_params: list<string>, body_param_types: list<string>, buttons: list<array{type: string, text: string, url: string|null, phone_number: string|null}>}
 * @phpstan-type LinkButton array{title: string, url: string}
 * @phpstan-type ListRow array{id: string, title: string, description?: string}
 * @phpstan-type ListSection array{title?: string, rows: list<ListRow>}
 * @phpstan-type Location array{latitude: int|float, longitude: int|float, name?: string, address?: string}
 * @phpstan-type LocationContent array{location: Location}
 * @phpstan-type LocationMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'location', category: null, template: null, content: LocationContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: false, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type MarkRead array{typing?: bool}
 * @phpstan-type MarkedRead array{id: int, typing: bool}
 * @phpstan-type MediaContent array{media: array{type: 'image'|'video'|'audio'|'document'|'sticker', id?: int, caption?: string, filename?: string, voice?: bool}}
 * @phpstan-type MediaFailedEvent array{id: string, type: 'media.failed', created_at: string, data: array{reason: 'too_large'|'not_found'|'unavailable'|'no_room'|'number_removed', inbound_id: int, message_id: int, from: string|null, to: string, contact: Contact}}
 * @phpstan-type MediaMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'image'|'video'|'audio'|'document'|'sticker', category: null, template: null, content: MediaContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: false, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type MediaStoredEvent array{id: string, type: 'media.stored', created_at: string, data: array{media: ReceivedMedia, inbound_id: int, message_id: int, from: string|null, to: string, contact: Contact}}
 * @phpstan-type Message TemplateMessage|TextMessage|MediaMessage|LocationMessage|ContactsMessage|InteractiveMessage|ReactionMessage
 * @phpstan-type MessageCancelledEvent array{id: string, type: 'message.cancelled', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageDeliveredEvent array{id: string, type: 'message.delivered', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageError array{message: string, whatsapp_code: string}
 * @phpstan-type MessageFailedEvent array{id: string, type: 'message.failed', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageReadEvent array{id: string, type: 'message.read', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageReceivedEvent array{id: string, type: 'message.received', created_at: string, data: array{message: InboundMessage, contact: Contact, texts?: list<string>, messages?: list<InboundMessage>}}
 * @phpstan-type MessageReference ReceivedReference|SentReference
 * @phpstan-type MessageScheduledEvent array{id: string, type: 'message.scheduled', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageSentEvent array{id: string, type: 'message.sent', created_at: string, data: array{message: Message}}
 * @phpstan-type MessageTemplate array{name: string, language: string}
 * @phpstan-type NamedBroadcastVariables array{header?: array<string, string|int|float|ContactFieldValue>, body?: array<string, string|int|float|ContactFieldValue>, buttons?: list<string|int|float|null|ContactFieldValue>}
 * @phpstan-type NamedMessage array{inbound?: int, message?: int}
 * @phpstan-type NamedVariables array{header?: array<string, string|int|float>, body?: array<string, string|int|float>, buttons?: list<string|int|float|null>}
 * @phpstan-type NetworkChange array{id: int, at: string, number: string|null, template: array{name: string, language: string}|null, property: 'quality'|'limit'|'status'|'restriction'|'category', from: string|null, to: string|null, meaning: string}
 * @phpstan-type NetworkLimit array{limit: int, used: int, today: int}
 * @phpstan-type NetworkUsage array{month: string, messages: int, billable: int, categories: list<array{category: string, type: string, billable: bool, messages: int}>, countries: list<array{country: string|null, category: string, billable: bool, messages: int}>, service: list<array{number: string, messages: int, allowance: int|null}>}
 * @phpstan-type NewWebhook array{id: int, url: string, types: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, state: 'active'|'disabled', group_bursts: string|null, old_secret_until: string|null, updated_at: string, secret: string}
 * @phpstan-type SendingNumber array{phone: string, name: string, ready: bool}
 * @phpstan-type OptOut array{phone: string|null, user_id?: string|null, opted_out_at: string, source: 'inbound_message'|'manual'|'bulk'|'import'|'api'}
 * @phpstan-type OrderAmount array{value: int, offset: int}
 * @phpstan-type OrderDetails array{reference_id: string, type: 'digital-goods'|'physical-goods', currency: string, total_amount: OrderAmount}
 * @phpstan-type Page array{page: int, per_page: int, total: int, has_more: bool, next: string|null, pending?: int}
 * @phpstan-type ParameterOrder array{header: list<string>, body: list<string>}
 * @phpstan-type PersonInput array{name: string, first_name?: string|null, birthday?: string|null, ref?: string|null}
 * @phpstan-type PersonOnNumber array{name: string, first_name: string|null, birthday: string|null, ref: string|null}
 * @phpstan-type PreviewCost array{currency: string, rate: string, amount: string, available: string, available_after: string, covered: bool}
 * @phpstan-type PreviewSkip array{to: string, reason: 'opted_out'|'invalid_number'|'duplicate'|'no_opt_in'|'missing_variable'|'daily_cap'|'may_want_to_stop', since?: string}
 * @phpstan-type ProductSection array{title?: string, items: list<string>}
 * @phpstan-type Reaction array{emoji: string, to: MessageReference}
 * @phpstan-type ReactionContent array{reaction: array{emoji: string, to: NamedMessage}}
 * @phpstan-type ReactionMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'reaction', category: null, template: null, content: ReactionContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: false, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type ReceivedMedia array{id: int|null, mime_type: string|null, bytes: int|null, sha256: string|null, filename: string|null, url: string|null, expires_at: string|null, state: 'pending'|'stored'|'failed'|'expired'|'erased', voice?: bool, animated?: bool}
 * @phpstan-type ReceivedReference array{inbound: int}
 * @phpstan-type Recipient array{to: string, message_id: int, status: 'pending'|'queued'|'sending'|'sent'|'delivered'|'read'|'failed'|'skipped', reason: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type RemovedWebhook array{id: int, exhausted: int}
 * @phpstan-type ReplyButton array{id: string, title: string}
 * @phpstan-type RotateSecret array{overlap?: string}
 * @phpstan-type RotatedSecret array{id: int, secret: string, old_secret_until: string|null}
 * @phpstan-type SearchHit array{kind: 'message'|'contact'|'note', id: int|null, direction: 'in'|'out'|null, conversation: int|null, contact: array{phone: string|null, user_id: string|null, username: string|null, name: string|null}, number: string|null, at: string, file: string|null, snippet: list<array{text: string, match: bool}>}
 * @phpstan-type SendContacts array{to: string, contacts: list<ContactCard>, reply_to?: MessageReference, take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendInteractive array{to: string, interactive: Interactive, reply_to?: MessageReference, category?: 'utility', take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendLocation array{to: string, location: Location, reply_to?: MessageReference, take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendMedia array{to: string, media: SentMedia, reply_to?: MessageReference, take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendMessage SendTemplate|SendText|SendMedia|SendLocation|SendContacts|SendInteractive|SendReaction
 * @phpstan-type SendReaction array{to: string, reaction: Reaction, take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendTemplate array{to: string, template: string, language?: string, variables?: Variables, media?: HeaderMedia, location?: Location, offer_expires_at?: string, cards?: list<TemplateCard>, products?: TemplateProducts, order_details?: OrderDetails, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SendText array{to: string, text: string, preview_url?: bool, reply_to?: MessageReference, category?: 'utility', take?: bool, from?: string, reference?: string, send_at?: string, cancel_on_reply?: bool}
 * @phpstan-type SentBy array{kind: 'api'|'console'|'agent'|'automation', name: string|null, ai: bool}
 * @phpstan-type SentFileHeader array{type: 'image'|'video'|'document', filename?: string, id?: int}
 * @phpstan-type SentMedia SentMediaByLink|SentMediaById
 * @phpstan-type SentMediaById array{id: int, type?: 'image'|'video'|'audio'|'document'|'sticker', caption?: string, filename?: string, voice?: bool}
 * @phpstan-type SentMediaByLink array{link: string, type?: 'image'|'video'|'audio'|'document'|'sticker', caption?: string, filename?: string, voice?: bool}
 * @phpstan-type SentReference array{message: int}
 * @phpstan-type Skip array{to: string, reason: 'opted_out'|'invalid_number'|'duplicate'|'no_opt_in'|'missing_variable'|'daily_cap', since?: string}
 * @phpstan-type SkipCounts array{opted_out: int, may_want_to_stop: int, invalid_number: int, duplicate: int, no_opt_in: int, missing_variable: int, daily_cap: int}
 * @phpstan-type SubmitTemplate array{name: string, language: string, category: 'MARKETING'|'UTILITY'|'AUTHENTICATION', parameter_format?: 'POSITIONAL'|'NAMED', message_send_ttl_seconds?: int, from?: string, sample_media?: array{header?: int, cards?: list<int>}, components?: list<array{type: string}>, library?: array{name: string, buttons?: list<array{type: string}>, body?: array{add_contact_number?: bool, add_learn_more_link?: bool, add_security_recommendation?: bool, add_track_package_link?: bool, code_expiration_minutes?: int}}}
 * @phpstan-type Template array{name: string, language: string, category: 'MARKETING'|'UTILITY'|'AUTHENTICATION', status: 'APPROVED'|'PENDING'|'REJECTED'|'PAUSED'|'DISABLED', sendable: bool, needs: list<'variables.buttons'|'location'|'offer_expires_at'|'cards'|'products'|'order_details'>, variables: array{header: int, body: int}, parameter_names: array{header: list<string>, body: list<string>}, parameter_order: ParameterOrder|null, text: string, media: TemplateMedia|null, components: list<array{type: string}>, rejection: array{reason: string, advice: string}|null, warnings: list<string>}
 * @phpstan-type TemplateApprovedEvent array{id: string, type: 'template.approved', created_at: string, data: array{template: Template, reason: string|null}}
 * @phpstan-type TemplateCard array{media?: CardMedia, product?: string, body?: list<string|int|float>|array<string, string|int|float>, buttons?: list<string|int|float|null>}
 * @phpstan-type TemplateCheck array{valid: bool, problems: list<array{path: string, rule: string, message: string}>, warnings: list<array{path: string, rule: string, message: string, source: string}>}
 * @phpstan-type TemplateMedia array{type: 'image'|'video'|'document', default: bool}
 * @phpstan-type TemplateMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'template', category: 'marketing'|'utility'|'authentication'|null, template: MessageTemplate, content: null, reply_to: null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: bool, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type TemplateProducts array{catalog_id?: string, thumbnail?: string, sections?: list<ProductSection>}
 * @phpstan-type TemplateRejectedEvent array{id: string, type: 'template.rejected', created_at: string, data: array{template: Template, reason: string|null}}
 * @phpstan-type TemplateUpdatedEvent array{id: string, type: 'template.updated', created_at: string, data: array{template: Template}}
 * @phpstan-type TextContent array{text: string, preview_url?: bool}
 * @phpstan-type TextMessage array{id: int, to: string, from: string, reference: string|null, sent_by: SentBy, type: 'text', category: 'utility'|null, template: null, content: TextContent|null, reply_to: NamedMessage|null, text: string, status: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', error: MessageError|null, charged: bool, created_at: string, send_at: string|null, sent_at: string|null, delivered_at: string|null, read_at: string|null}
 * @phpstan-type UploadedMedia array{id: int, mime_type: string, bytes: int, sha256: string, filename: string|null, created_at: string, expires_at: string|null}
 * @phpstan-type Variables list<string|int|float>|array{header?: list<string|int|float>, body?: list<string|int|float>, buttons?: list<string|int|float|null>}|NamedVariables
 * @phpstan-type Webhook array{id: int, url: string, types: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, state: 'active'|'disabled', group_bursts: string|null, old_secret_until: string|null, updated_at: string}
 * @phpstan-type WebhookTestEvent array{id: string, type: 'webhook.test', created_at: string, data: array<string, mixed>}
 * @phpstan-type Workspace array{id: int, name: string, country: string, timezone: string, numbers: list<SendingNumber>, billing: Billing|null}
 * @phpstan-type WorkspaceSettings array{name: string, country: string, timezone: string, daily_cap: int|null, stop_words: list<string>, start_words: list<string>, opening_hours: string, closed_days: list<string>, away_message: string, quiet: string, ai_notice: string, read_receipts: string, purpose: string, notice: string, message_retention: string, inbound_retention: string, media_retention: string}
 */
abstract class Operations
{
    public const VERSION = '0.1.0';

    protected Core $core;

    /**
     * Retrieve the workspace. Returns the workspace that the API key belongs to, with its sending numbers and its
     * balance. Use it to check that a key works. Every key may do this.
     *
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Workspace
     */
    public function getWorkspace(array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/me', 'is_idempotent' => true], $options);
    }

    /**
     * Retrieve what Meta bills. Returns how many messages Meta delivered in a month, by the category that Meta
     * bills. Meta bills the owner of the WhatsApp account; the workspace's own balance is in `GET /me`. Needs a key
     * with the scope `read`.
     *
     * @param array{month?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return NetworkUsage
     */
    public function getUsage(array $query = [], array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/usage', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Send a message. Sends a template (at any time), or free-form text, a file, a place, contact cards, a text with
     * buttons, a list or a link, or a reaction (within 24 hours of the recipient's last message; a text, and one
     * with buttons or a link, at any time with a `category`). The message is sent to the network before the response
     * is returned, so the response says whether the network accepted it. Later status changes are reported by events
     * and by `GET /messages/{id}`. With `send_at` the message is stored and sent at that time: everything but the 24
     * hours, the balance, the daily cap and the number's readiness is evaluated now, and everything again when it is
     * due. Where the workspace has an AI notice, the first message of a key that is marked as an AI's in a window
     * begins with it: lengths count with it, and a message without words waits for a text. Needs a key with the
     * scope `send`.
     *
     * @param SendMessage|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Message
     */
    public function sendMessage(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/messages', 'body' => $body, 'takes_key' => true], $options);
    }

    /**
     * List messages. Returns messages that were sent one at a time through the API, newest first; not recipients of
     * broadcasts, and not replies from the console. Filters can be combined. A message is listed once the network
     * has answered, a scheduled one from its creation. Filtered by `reference` or `idempotency_key`, `meta.pending`
     * counts accepted messages that are not listed yet: only `total` 0 and `pending` 0 mean that no such message was
     * accepted. Needs a key with the scope `read`.
     *
     * @param array{reference?: string, idempotency_key?: string, to?: string, status?: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', since?: string, page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Message>, meta: array<string, mixed>}
     */
    public function listMessages(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/messages', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listMessages`, page after page.
     *
     * @param array{reference?: string, idempotency_key?: string, to?: string, status?: 'scheduled'|'sent'|'delivered'|'read'|'failed'|'cancelled', since?: string, page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Message>
     */
    public function iterateMessages(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/messages', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Cancel a scheduled message. Cancels a message that was accepted with `send_at` and is not sent yet. Cancelling
     * it again returns the same message. A message that is being sent, was sent or has failed cannot be cancelled.
     * Needs a key with the scope `send`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Message
     */
    public function cancelMessage(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/messages/' . rawurlencode((string) $id) . '/cancel'], $options);
    }

    /**
     * Retrieve a message. Returns a message that was sent through the API, with its current status. Needs a key with
     * the scope `read`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Message
     */
    public function getMessage(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/messages/' . rawurlencode((string) $id), 'is_idempotent' => true], $options);
    }

    /**
     * Create a broadcast. Sends a template to a list of phone numbers or to a group. The response is returned before
     * any message is sent; it lists the numbers in `to` that are skipped, and why. To see recipients that are
     * skipped later, list the recipients. Everyone in `to` who has not opted out is recorded as opted in. In a
     * group, only contacts who have opted in receive the message. A single `broadcast.finished` event follows when
     * the counts are final. Needs a key with the scope `broadcast`.
     *
     * @param CreateBroadcast|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return CreatedBroadcast
     */
    public function createBroadcast(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/broadcasts', 'body' => $body, 'takes_key' => true], $options);
    }

    /**
     * List broadcasts. Returns all broadcasts of the workspace, newest first. Needs a key with the scope `read`.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Broadcast>, meta: array<string, mixed>}
     */
    public function listBroadcasts(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/broadcasts', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listBroadcasts`, page after page.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Broadcast>
     */
    public function iterateBroadcasts(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/broadcasts', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Preview a broadcast. Takes the same body as `POST /broadcasts` and returns what the broadcast would do: how
     * many people would receive it, who would be skipped, what it would cost and when it would end. Nothing is sent
     * or stored, and no consent is recorded. Needs a key with the scope `broadcast`.
     *
     * @param CreateBroadcast|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return BroadcastPreview
     */
    public function previewBroadcast(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/broadcasts/preview', 'body' => $body], $options);
    }

    /**
     * Retrieve a broadcast. Returns a broadcast with its current counts. Needs a key with the scope `read`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Broadcast
     */
    public function getBroadcast(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/broadcasts/' . rawurlencode((string) $id), 'is_idempotent' => true], $options);
    }

    /**
     * List a broadcast's recipients. Returns the recipients of a broadcast in sending order, each with its status,
     * including skipped recipients. Recipients are deleted 18 months after the broadcast has finished; the broadcast
     * and its counts are kept. Needs a key with the scope `read`.
     *
     * @param int $id
     * @param array{status?: 'pending'|'sent'|'delivered'|'read'|'failed'|'skipped', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Recipient>, meta: array<string, mixed>}
     */
    public function listRecipients(int $id, array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/broadcasts/' . rawurlencode((string) $id) . '/recipients', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listRecipients`, page after page.
     *
     * @param int $id
     * @param array{status?: 'pending'|'sent'|'delivered'|'read'|'failed'|'skipped', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Recipient>
     */
    public function iterateRecipients(int $id, array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/broadcasts/' . rawurlencode((string) $id) . '/recipients', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Cancel a broadcast. Stops a broadcast: no more messages are sent. Messages already sent to the network are not
     * recalled, and are charged if they are delivered. The part of the balance that was held for unsent messages is
     * released immediately. Needs a key with the scope `broadcast`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Broadcast
     */
    public function cancelBroadcast(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/broadcasts/' . rawurlencode((string) $id) . '/cancel'], $options);
    }

    /**
     * List contacts. Returns contacts, most recently updated first. To sync contacts, set `updated_since` and follow
     * `meta.next` until it is null: contacts that change in the meantime are returned again, and none is missed.
     * Filters can be combined with each other and with `updated_since`. Needs a key with the scope `read` or
     * `contacts`.
     *
     * @param array{tag?: string, group?: string, consent?: 'unknown'|'opted_in'|'opted_out', country?: string, q?: string, filter?: string, updated_since?: string, sort?: string, identity?: 'phone'|'any', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Contact>, meta: array<string, mixed>}
     */
    public function listContacts(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/contacts', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listContacts`, page after page.
     *
     * @param array{tag?: string, group?: string, consent?: 'unknown'|'opted_in'|'opted_out', country?: string, q?: string, filter?: string, updated_since?: string, sort?: string, identity?: 'phone'|'any', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Contact>
     */
    public function iterateContacts(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/contacts', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Create or update many contacts. Creates or updates up to 500 contacts. Each is applied as `PUT
     * /contacts/{phone}` applies it, in the order of the list, and a contact that is refused does not affect the
     * others: the response is 200 with one result for each, in the same order. If the server cannot write all of
     * them, it answers 503; repeat the whole request then. Needs a key with the scope `contacts`.
     *
     * @param ContactsInput|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return list<ContactResult>
     */
    public function putContacts(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'PUT', 'path' => '/contacts', 'body' => $body, 'is_idempotent' => true], $options);
    }

    /**
     * Retrieve a contact. Returns the contact with this phone number. For 30 days after a person moved to another
     * number, the old number returns 404 with the new one in `error.moved_to`. Needs a key with the scope `read` or
     * `contacts`.
     *
     * @param string $phone
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Contact
     */
    public function getContact(string $phone, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/contacts/' . rawurlencode((string) $phone), 'is_idempotent' => true], $options);
    }

    /**
     * Create or update a contact. Creates or updates a contact. Fields that are not in the body keep their value.
     * Returns 201 if the contact was created. Needs a key with the scope `contacts`.
     *
     * @param string $phone
     * @param ContactInput|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Contact
     */
    public function putContact(string $phone, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'PUT', 'path' => '/contacts/' . rawurlencode((string) $phone), 'body' => $body, 'is_idempotent' => true], $options);
    }

    /**
     * Get the conversation with a contact. Returns what the person wrote and what was sent to them, newest first: by
     * the API, in broadcasts, from the console, on the phone that shares the number, and by other senders on the
     * number. Entries of the phone's history were never new: they are in no event. Follow `meta.next` for older
     * entries. Needs a key with the scope `inbox`.
     *
     * @param string $phone
     * @param array{per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<ConversationEntry>, meta: array<string, mixed>}
     */
    public function getConversation(string $phone, array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/conversation', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `getConversation`, page after page.
     *
     * @param string $phone
     * @param array{per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, ConversationEntry>
     */
    public function iterateConversation(string $phone, array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/conversation', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Opt out a contact. Records an opt-out that reached your own system. No messages are sent to the person until
     * they send START. Also works for numbers that are not contacts yet, and in suspended workspaces. Needs a key
     * with the scope `contacts`.
     *
     * @param string $phone
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Contact
     */
    public function optOutContact(string $phone, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/opt-out'], $options);
    }

    /**
     * List conversations. Returns the conversations of the workspace, one for each person on each of its numbers,
     * the latest writer first. A page may have fewer entries than asked for although more follow: read on while
     * `meta.next` is not null. Needs a key with the scope `inbox`.
     *
     * @param array{per_page?: int, after?: string, number?: string, state?: 'open'|'snoozed'|'done', assignee?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Conversation>, meta: array<string, mixed>}
     */
    public function listConversations(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/conversations', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listConversations`, page after page.
     *
     * @param array{per_page?: int, after?: string, number?: string, state?: 'open'|'snoozed'|'done', assignee?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Conversation>
     */
    public function iterateConversations(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/conversations', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Get a conversation. Returns a conversation with the person, the owner and what was last said. Needs a key with
     * the scope `inbox`.
     *
     * @param int $conversation
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Conversation
     */
    public function getConversationById(int $conversation, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/conversations/' . rawurlencode((string) $conversation), 'is_idempotent' => true], $options);
    }

    /**
     * Change a conversation's state, or who answers it. Members that are omitted stay as they are. Whatever the
     * state, a new message of the person opens the conversation. Each change is an event `conversation.updated`, for
     * addresses that name it. Needs a key with the scope `inbox`.
     *
     * @param int $conversation
     * @param ChangeConversation|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Conversation
     */
    public function changeConversation(int $conversation, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'PATCH', 'path' => '/conversations/' . rawurlencode((string) $conversation), 'body' => $body], $options);
    }

    /**
     * Take a conversation over, give it back, or pass it on. On a number that other senders answer too, only the
     * owner of a conversation may send free messages in it. WhatsApp is asked once, and never again where it gave no
     * answer: then the answer is 502 with `whatsapp_code` `timeout`, and what arrives next shows the owner. Only the
     * escalation partner of the number, chosen in Meta Business Suite, may take a conversation (else 502 with
     * 2494191). A conversation that is yours already is not taken, and one that is not yours is not given away: both
     * answer 200 and ask nothing. Needs a key with the scope `inbox`.
     *
     * @param int $conversation
     * @param ControlThread|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Conversation
     */
    public function controlConversationThread(int $conversation, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/thread', 'body' => $body], $options);
    }

    /**
     * Block the person on the number of a conversation. WhatsApp then lets the person write no more to this number,
     * and delivers nothing of it to them; they are not told. It blocks only people who wrote within the last 24
     * hours (else 502 with 131047). WhatsApp is asked once: where it gave no answer, the answer is 502 with
     * `whatsapp_code` `timeout`, `block_state` is `checking`, and WhatsApp's list says within a minute what it is. A
     * person who is blocked already is not blocked again: 200. Needs a key with the scope `inbox`.
     *
     * @param int $conversation
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Conversation
     */
    public function blockPerson(int $conversation, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/block'], $options);
    }

    /**
     * Unblock the person on the number of a conversation. The person can write to the number again. WhatsApp is
     * asked once, as to block. A person who is not blocked is not unblocked: 200. Needs a key with the scope
     * `inbox`.
     *
     * @param int $conversation
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Conversation
     */
    public function unblockPerson(int $conversation, array $options = []): array
    {
        return $this->core->one(['method' => 'DELETE', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/block'], $options);
    }

    /**
     * List the notes of a conversation. Returns the notes of the staff and of programs about a conversation, the
     * newest first. Needs a key with the scope `inbox`.
     *
     * @param int $conversation
     * @param array{per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<ConversationNote>, meta: array<string, mixed>}
     */
    public function listConversationNotes(int $conversation, array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/notes', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listConversationNotes`, page after page.
     *
     * @param int $conversation
     * @param array{per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, ConversationNote>
     */
    public function iterateConversationNotes(int $conversation, array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/notes', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Add a note to a conversation. A note is for the staff alone: it is never sent, and is in no event. It is
     * deleted when the person is erased. Needs a key with the scope `inbox`.
     *
     * @param int $conversation
     * @param AddConversationNote|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return ConversationNote
     */
    public function addConversationNote(int $conversation, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/conversations/' . rawurlencode((string) $conversation) . '/notes', 'body' => $body, 'takes_key' => true], $options);
    }

    /**
     * Search. Finds people by name, number and tag, messages both ways by their words and file names, and notes: the
     * newest first, contacts last. What is written is found within a few seconds; `meta.behind` says that rows are
     * still missing. What a broadcast said to its recipients is not searched, and what people answered is. Needs a
     * key with the scope `inbox`.
     *
     * @param array{q?: string, kinds?: string, from?: string, number?: string, tag?: string, since?: string, until?: string, has_file?: bool, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<SearchHit>, meta: array<string, mixed>}
     */
    public function search(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/search', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `search`, page after page.
     *
     * @param array{q?: string, kinds?: string, from?: string, number?: string, tag?: string, since?: string, until?: string, has_file?: bool, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, SearchHit>
     */
    public function iterateSearch(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/search', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * List opt-outs. Returns everyone who is currently opted out, in the order in which the opt-outs were recorded.
     * To sync opt-outs, set `since` and follow `meta.next` until it is null. Needs a key with the scope `read` or
     * `contacts`.
     *
     * @param array{since?: string, identity?: 'phone'|'any', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<OptOut>, meta: array<string, mixed>}
     */
    public function listOptOuts(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/opt-outs', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listOptOuts`, page after page.
     *
     * @param array{since?: string, identity?: 'phone'|'any', page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, OptOut>
     */
    public function iterateOptOuts(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/opt-outs', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * List templates. Returns the templates of the workspace, sorted by name, each with the values it needs and
     * whether it can be sent. A template with several languages is returned once per language. Needs a key with the
     * scope `read` or `templates`.
     *
     * @param array{status?: 'APPROVED'|'PENDING'|'REJECTED'|'PAUSED'|'DISABLED', generated?: bool, page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Template>, meta: array<string, mixed>}
     */
    public function listTemplates(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/templates', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listTemplates`, page after page.
     *
     * @param array{status?: 'APPROVED'|'PENDING'|'REJECTED'|'PAUSED'|'DISABLED', generated?: bool, page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Template>
     */
    public function iterateTemplates(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/templates', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Submit a template. Gives a template to WhatsApp, which reviews it: `template.approved`, `template.rejected`
     * and `template.updated` report what it decides. What WhatsApp would certainly refuse is refused before, with
     * 400 and a sentence for each member. Where WhatsApp does not answer, the response is 503 with `outcome:
     * unknown`: repeat the request after a minute. Then the account's templates are read first, and nothing is
     * submitted twice. Needs a key with the scope `templates`.
     *
     * @param SubmitTemplate|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Template
     */
    public function submitTemplate(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/templates', 'body' => $body, 'takes_key' => true], $options);
    }

    /**
     * Check a template. Says what is wrong with a template, by the rules that submitting it uses, and what WhatsApp
     * may find in its review. Submits nothing. Where the account has a template of this name and language, it is
     * checked as its correction. Needs a key with the scope `templates`.
     *
     * @param SubmitTemplate|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return TemplateCheck
     */
    public function checkTemplate(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/templates/check', 'body' => $body], $options);
    }

    /**
     * Correct a template. Replaces the parts of a template that is approved, rejected or paused; WhatsApp reviews it
     * again. An approved one can be corrected once in 24 hours and ten times in 30 days, and keeps its category.
     * Where WhatsApp does not answer, the response is 503 with `outcome: unknown`: repeat the request after a
     * minute. Then the account's templates are read first, and nothing is submitted twice. Needs a key with the
     * scope `templates`.
     *
     * @param string $name
     * @param string $language
     * @param CorrectTemplate|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Template
     */
    public function correctTemplate(string $name, string $language, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'PUT', 'path' => '/templates/' . rawurlencode((string) $name) . '/' . rawurlencode((string) $language), 'body' => $body, 'takes_key' => true, 'is_idempotent' => true], $options);
    }

    /**
     * Delete a template in one language. Deletes the template at WhatsApp. For 30 days, the name of an approved one
     * cannot be used again in this language. Messages that are under way still arrive. Where WhatsApp does not
     * answer, the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the account's
     * templates are read first, and nothing is submitted twice. Needs a key with the scope `templates`.
     *
     * @param string $name
     * @param string $language
     * @param array{from?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return DeletedTemplates
     */
    public function deleteTemplate(string $name, string $language, array $query = [], array $options = []): array
    {
        return $this->core->one(['method' => 'DELETE', 'path' => '/templates/' . rawurlencode((string) $name) . '/' . rawurlencode((string) $language), 'query' => $query, 'takes_key' => true], $options);
    }

    /**
     * Delete a template in all languages. Deletes all languages of the template at WhatsApp. Where WhatsApp does not
     * answer, the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the account's
     * templates are read first, and nothing is submitted twice. Needs a key with the scope `templates`.
     *
     * @param string $name
     * @param array{from?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return DeletedTemplates
     */
    public function deleteTemplateInAllLanguages(string $name, array $query = [], array $options = []): array
    {
        return $this->core->one(['method' => 'DELETE', 'path' => '/templates/' . rawurlencode((string) $name), 'query' => $query, 'takes_key' => true], $options);
    }

    /**
     * List WhatsApp's template library. Asks WhatsApp for the templates of its library. `POST /templates` with
     * `library` makes a template of one. An account that may not use the library gets `whatsapp_error` with
     * WhatsApp's reason. Needs a key with the scope `read` or `templates`.
     *
     * @param array{search?: string, name?: string, language?: string, topic?: string, usecase?: string, industry?: string, from?: string, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<LibraryTemplate>, meta: array<string, mixed>}
     */
    public function listTemplateLibrary(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/templates/library', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listTemplateLibrary`, page after page.
     *
     * @param array{search?: string, name?: string, language?: string, topic?: string, usecase?: string, industry?: string, from?: string, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, LibraryTemplate>
     */
    public function iterateTemplateLibrary(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/templates/library', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * List what the network changed. Returns what the network changed about a number or a template, newest first:
     * the quality, the messaging limit, restrictions, pauses, decisions and categories, each with its date and what
     * it means; of one number, of one template, or of all. A report that arrives late stands where it belongs by the
     * network's time, and one that arrives twice stands there once. What is not known from reports is found by the
     * hourly comparison. Changes are kept for 400 days. Needs a key with the scope `read` or `templates`.
     *
     * @param array{number?: string, template?: string, language?: string, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<NetworkChange>, meta: array<string, mixed>}
     */
    public function listNetworkChanges(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/network-changes', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listNetworkChanges`, page after page.
     *
     * @param array{number?: string, template?: string, language?: string, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, NetworkChange>
     */
    public function iterateNetworkChanges(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/network-changes', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * List groups. Returns all groups of the workspace, sorted by name. The count of a dynamic group can be up to a
     * minute old. Needs a key with the scope `read` or `contacts`.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Group>, meta: array<string, mixed>}
     */
    public function listGroups(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/groups', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listGroups`, page after page.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Group>
     */
    public function iterateGroups(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/groups', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Read the event log. Returns events in the order in which they happened, oldest first, whether or not a webhook
     * is set. Store `meta.next` with what you have processed, and pass it as `after`: no event is missed and none is
     * returned twice. With `wait`, the response is held until there is an event. A page may be empty although
     * `has_more` is true, if the events that were examined are of other types. A cursor that is older than the kept
     * events, or that belongs to another copy of the database, returns 400 with `error.oldest`, the cursor to start
     * again from. Needs a key with the scope `read`.
     *
     * @param array{after?: string, types?: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, wait?: int, signed?: bool, cursors?: bool, per_page?: int} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<WebhookEvent>, meta: array<string, mixed>}
     */
    public function listEvents(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/events', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listEvents`, page after page. The key of each is the cursor behind it.
     *
     * @param array{after?: string, types?: list<'message.sent'|'message.delivered'|'message.read'|'message.failed'|'message.scheduled'|'message.cancelled'|'message.received'|'media.stored'|'media.failed'|'contact.opted_out'|'contact.opted_in'|'contact.may_want_to_stop'|'contact.updated'|'conversation.updated'|'contact.erased'|'broadcast.paused'|'broadcast.resumed'|'broadcast.blocked'|'broadcast.finished'|'template.approved'|'template.rejected'|'template.updated'|'webhook.test'>, wait?: int, signed?: bool, cursors?: bool, per_page?: int} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<string, WebhookEvent, mixed, string>
     */
    public function iterateEvents(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/events', 'query' => ['cursors' => true] + $query, 'is_idempotent' => true], $options);
    }

    /**
     * List webhook addresses. Returns the addresses that receive the workspace's events, at most ten, the first one
     * first. Needs a key with the scope `webhooks`.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return array{data: list<Webhook>, meta: array<string, mixed>}
     */
    public function listWebhooks(array $query = [], array $options = []): array
    {
        return $this->core->list(['method' => 'GET', 'path' => '/webhooks', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * All entries of `listWebhooks`, page after page.
     *
     * @param array{page?: int, per_page?: int, after?: string} $query
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return \Generator<int, Webhook>
     */
    public function iterateWebhooks(array $query = [], array $options = []): \Generator
    {
        return $this->core->iterate(['method' => 'GET', 'path' => '/webhooks', 'query' => $query, 'is_idempotent' => true], $options);
    }

    /**
     * Add a webhook address. Adds an address with a secret of its own, up to ten. It receives the events from now
     * on. Without `types`, it receives all but message.scheduled, message.cancelled, contact.updated,
     * conversation.updated, template.updated, also those of later versions that it need not ask for. The secret is
     * in this answer alone. Where the workspace has no first address, it becomes that, and has the id 1. The owners
     * get an e-mail about it. Needs a key with the scope `webhooks`.
     *
     * @param AddWebhook|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return NewWebhook
     */
    public function addWebhook(array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/webhooks', 'body' => $body], $options);
    }

    /**
     * Change a webhook address. Changes what is given. Waiting deliveries go to a new `url`. The secret stays. The
     * owners get an e-mail about it. Needs a key with the scope `webhooks`.
     *
     * @param int $id
     * @param ChangeWebhook|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Webhook
     */
    public function changeWebhook(int $id, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'PATCH', 'path' => '/webhooks/' . rawurlencode((string) $id), 'body' => $body], $options);
    }

    /**
     * Remove a webhook address. Nothing more is sent there. The owners get an e-mail about it. Needs a key with the
     * scope `webhooks`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return RemovedWebhook
     */
    public function removeWebhook(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'DELETE', 'path' => '/webhooks/' . rawurlencode((string) $id)], $options);
    }

    /**
     * Replace the secret of a webhook address. Creates a new secret. The owners get an e-mail about it. A receiver
     * that does not accept the test event is 400, with what it answered in `fields.overlap`. Needs a key with the
     * scope `webhooks`.
     *
     * @param int $id
     * @param RotateSecret|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return RotatedSecret
     */
    public function rotateWebhookSecret(int $id, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/webhooks/' . rawurlencode((string) $id) . '/rotate-secret', 'body' => $body], $options);
    }

    /**
     * Mark a received message as read. Shows the person that their message, and everything before it, was read. A
     * repeat changes nothing. The console's own count of unread messages is another thing: it is what the staff have
     * not looked at. Needs a key with the scope `send`.
     *
     * @param int $id
     * @param MarkRead|\stdClass $body
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return MarkedRead
     */
    public function markInboundRead(int $id, array|\stdClass $body, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/inbounds/' . rawurlencode((string) $id) . '/read', 'body' => $body], $options);
    }

    /**
     * Get a received message. Returns a message that a person sent, as `message.received` shows it, with the present
     * state of its file. Its id is a number of its own: `GET /messages/{id}` knows only what was sent. After the
     * person was erased, it returns 404. Needs a key with the scope `read`.
     *
     * @param int $id
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return InboundMessage
     */
    public function getInbound(int $id, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/inbounds/' . rawurlencode((string) $id), 'is_idempotent' => true], $options);
    }

    /**
     * Upload a file. Takes a file to be sent by its id, once or many times, as a form (`multipart/form-data`) with
     * one part `file`. The type is read from the bytes: JPEG or PNG up to 5 MB; MP4 or 3GP video, AAC, AMR, MP3, M4A
     * or Ogg Opus audio up to 16 MB; PDF, text, Word, Excel, PowerPoint, OpenDocument, RTF or ZIP up to 100 MB; a
     * WebP sticker up to 100 kB, animated up to 500 kB. `expires_at` says when the file is deleted unless it is sent
     * before; each message that sends it extends its life. A workspace makes 4 uploads at once, and a key uploads 2
     * GB a day; beyond that: 429. The uploads of a workspace may take half of its share of the server's room; beyond
     * that: 400. An upload that is cut short leaves nothing. Needs a key with the scope `send`.
     *
     * @param string $content
     * @param string $filename
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return UploadedMedia
     */
    public function uploadMedia(string $content, string $filename, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/media', 'file' => ['content' => $content, 'filename' => $filename]], $options);
    }

    /**
     * Get a file. Returns the bytes of a picture, video, voice message, sticker or document that a person sent or
     * that was uploaded. A received file is there as soon as it is stored: `media.stored` says so and carries a link
     * that needs no key. The type is read from the bytes. Parts can be requested with `Range` (206; 416 beyond the
     * end), also conditionally with `If-Range` and `If-None-Match` against the `ETag`. A file that is not stored, or
     * not any more, returns 404, and the message says why. Needs a key with the scope `read`.
     *
     * @param int $id
     * @param string|null $range
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return MediaFile
     */
    public function getMedia(int $id, ?string $range = null, array $options = []): MediaFile
    {
        return $this->core->file(['method' => 'GET', 'path' => '/media/' . rawurlencode((string) $id), 'is_idempotent' => true, 'range' => $range], $options);
    }

    /**
     * Retrieve the settings. Returns the workspace's settings as they hold now. Owners change them in the console,
     * operators with `waxwing workspace update`; a change holds from the next message on. Needs a key with the scope
     * `read`.
     *
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return WorkspaceSettings
     */
    public function getSettings(array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/settings', 'is_idempotent' => true], $options);
    }

    /**
     * List possible duplicates. Returns pairs of contacts that may be one person, at most 50, the surest reasons
     * first. Further pairs follow once some are joined or marked as different people. Nothing is joined
     * automatically. Needs a key with the scope `read` or `contacts`.
     *
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return list<DuplicatePair>
     */
    public function listDuplicates(array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/duplicates', 'is_idempotent' => true], $options);
    }

    /**
     * Mark two contacts as different people. The two are not listed as possible duplicates from now on. Needs a key
     * with the scope `contacts`.
     *
     * @param string $phone
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return DifferentPeople
     */
    public function markDifferentPeople(string $phone, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/different'], $options);
    }

    /**
     * Compare two contacts before joining them. Says what a join would do: the fields in which the contacts differ,
     * the consent that would hold, and what would move from the other contact to the first one in the path. Changes
     * nothing. Needs a key with the scope `read` or `contacts`.
     *
     * @param string $phone
     * @param string $other
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return ContactComparison
     */
    public function compareContacts(string $phone, string $other, array $options = []): array
    {
        return $this->core->one(['method' => 'GET', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/join/' . rawurlencode((string) $other), 'is_idempotent' => true], $options);
    }

    /**
     * Join two contacts. The contact named by `with` becomes a part of the contact in the path: its numbers and user
     * ids lead there, its messages, conversations, notes, tags, groups and scheduled messages follow, and consent is
     * never raised: an opt-out of either holds, and the evidence of both is kept. Cannot be undone. Messages of the
     * past follow within moments. Needs a key with the scope `contacts`.
     *
     * @param string $phone
     * @param array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int} $options
     * @return Contact
     */
    public function joinContacts(string $phone, array $options = []): array
    {
        return $this->core->one(['method' => 'POST', 'path' => '/contacts/' . rawurlencode((string) $phone) . '/join'], $options);
    }
}
