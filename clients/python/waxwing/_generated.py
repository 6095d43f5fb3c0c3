# Generated from the OpenAPI document by `bun run clients`. Do not edit.
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union

from ._core import ApiList, Core, Entries, MediaFile

VERSION = "0.1.0"

ErrorCode = Literal[
    "api_not_enabled",
    "conversation_assigned",
    "idempotency_conflict",
    "insufficient_balance",
    "internal_error",
    "invalid_number",
    "invalid_request",
    "missing_media",
    "missing_variable",
    "not_cancellable",
    "not_found",
    "number_not_ready",
    "opted_out",
    "rate_limited",
    "template_not_found",
    "template_not_sendable",
    "thread_owned_elsewhere",
    "unauthenticated",
    "unavailable",
    "unsupported_template",
    "whatsapp_error",
    "window_closed",
    "workspace_suspended",
]

_AddConversationNoteRequired = TypedDict(
    "_AddConversationNoteRequired",
    {
        "text": "str",
    },
)


class AddConversationNote(_AddConversationNoteRequired):
    """A note for the staff."""


_AddWebhookRequired = TypedDict(
    "_AddWebhookRequired",
    {
        "url": "str",
    },
)
_AddWebhookOptional = TypedDict(
    "_AddWebhookOptional",
    {
        "types": "List[Literal['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.scheduled', 'message.cancelled', 'message.received', 'media.stored', 'media.failed', 'contact.opted_out', 'contact.opted_in', 'contact.may_want_to_stop', 'contact.updated', 'conversation.updated', 'contact.erased', 'broadcast.paused', 'broadcast.resumed', 'broadcast.blocked', 'broadcast.finished', 'template.approved', 'template.rejected', 'template.updated', 'webhook.test']]",
        "group_bursts": "Optional[str]",
    },
    total=False,
)


class AddWebhook(_AddWebhookRequired, _AddWebhookOptional):
    """AddWebhook"""


_AddressRequestRequired = TypedDict(
    "_AddressRequestRequired",
    {
        "country": "str",
    },
)
_AddressRequestOptional = TypedDict(
    "_AddressRequestOptional",
    {
        "values": "AddressValues",
    },
    total=False,
)


class AddressRequest(_AddressRequestRequired, _AddressRequestOptional):
    """A form for a postal address."""


_AddressValuesOptional = TypedDict(
    "_AddressValuesOptional",
    {
        "name": "str",
        "phone_number": "str",
        "in_pin_code": "str",
        "house_number": "str",
        "floor_number": "str",
        "tower_number": "str",
        "building_name": "str",
        "address": "str",
        "landmark_area": "str",
        "city": "str",
        "state": "str",
    },
    total=False,
)


class AddressValues(_AddressValuesOptional):
    """What is filled in already."""


_BillingRequired = TypedDict(
    "_BillingRequired",
    {
        "currency": "str",
        "available": "str",
        "rate": "str",
    },
)


class Billing(_BillingRequired):
    """Balance and price of a workspace that is charged."""


_BroadcastRequired = TypedDict(
    "_BroadcastRequired",
    {
        "id": "int",
        "name": "str",
        "status": "Literal['scheduled', 'queueing', 'running', 'paused', 'completed', 'cancelled', 'failed']",
        "status_reason": "Optional[str]",
        "template": "MessageTemplate",
        "from": "str",
        "counts": "BroadcastCounts",
        "held": "int",
        "charged": "Optional[str]",
        "settled": "bool",
        "send_at": "Optional[str]",
        "started_at": "Optional[str]",
        "completed_at": "Optional[str]",
        "created_at": "str",
    },
)


class Broadcast(_BroadcastRequired):
    """A template that is sent to many people."""


_BroadcastBlockedEventDataRequired = TypedDict(
    "_BroadcastBlockedEventDataRequired",
    {
        "broadcast": "Broadcast",
    },
)


class BroadcastBlockedEventData(_BroadcastBlockedEventDataRequired):
    """BroadcastBlockedEventData"""


_BroadcastBlockedEventRequired = TypedDict(
    "_BroadcastBlockedEventRequired",
    {
        "id": "str",
        "type": "Literal['broadcast.blocked']",
        "created_at": "str",
        "data": "BroadcastBlockedEventData",
    },
)


class BroadcastBlockedEvent(_BroadcastBlockedEventRequired):
    """The template, the number or the group of a scheduled broadcast is gone or can no longer be used;
    `status_reason` says which. It stays scheduled, and fails only if that still holds at `send_at`.
    """


_BroadcastCardOptional = TypedDict(
    "_BroadcastCardOptional",
    {
        "media": "CardMedia",
        "product": "str",
        "body": "Union[List[Union[Union[str, float], 'ContactFieldValue']], Dict[str, Union[Union[str, float], 'ContactFieldValue']]]",
        "buttons": "List[Union[Optional[Union[str, float]], 'ContactFieldValue']]",
    },
    total=False,
)


class BroadcastCard(_BroadcastCardOptional):
    """What a card of a carousel shows; which members it needs, the template says."""


_BroadcastCountsRequired = TypedDict(
    "_BroadcastCountsRequired",
    {
        "total": "int",
        "sent": "int",
        "delivered": "int",
        "read": "int",
        "failed": "int",
        "skipped": "int",
    },
)


class BroadcastCounts(_BroadcastCountsRequired):
    """The recipients of a broadcast, counted by status."""


_BroadcastFinishedEventDataRequired = TypedDict(
    "_BroadcastFinishedEventDataRequired",
    {
        "broadcast": "Broadcast",
    },
)


class BroadcastFinishedEventData(_BroadcastFinishedEventDataRequired):
    """BroadcastFinishedEventData"""


_BroadcastFinishedEventRequired = TypedDict(
    "_BroadcastFinishedEventRequired",
    {
        "id": "str",
        "type": "Literal['broadcast.finished']",
        "created_at": "str",
        "data": "BroadcastFinishedEventData",
    },
)


class BroadcastFinishedEvent(_BroadcastFinishedEventRequired):
    """A broadcast completed, failed or was cancelled, and its counts and its cost are final. For the
    result of each recipient, call `GET /broadcasts/{id}/recipients`.
    """


_BroadcastPausedEventDataRequired = TypedDict(
    "_BroadcastPausedEventDataRequired",
    {
        "broadcast": "Broadcast",
    },
)


class BroadcastPausedEventData(_BroadcastPausedEventDataRequired):
    """BroadcastPausedEventData"""


_BroadcastPausedEventRequired = TypedDict(
    "_BroadcastPausedEventRequired",
    {
        "id": "str",
        "type": "Literal['broadcast.paused']",
        "created_at": "str",
        "data": "BroadcastPausedEventData",
    },
)


class BroadcastPausedEvent(_BroadcastPausedEventRequired):
    """A broadcast stopped sending. `status_reason` says why, and whether it resumes automatically."""


_BroadcastPreviewRequired = TypedDict(
    "_BroadcastPreviewRequired",
    {
        "requested": "int",
        "reached": "int",
        "skipped": "SkipCounts",
        "skips": "List['PreviewSkip']",
        "cost": "Union['PreviewCost', None]",
        "daily_cap_left": "Optional[int]",
        "network_limit": "Union['NetworkLimit', None]",
        "warnings": "List[str]",
        "starts_at": "str",
        "ends_at": "str",
    },
)


class BroadcastPreview(_BroadcastPreviewRequired):
    """A preview of a broadcast."""


_BroadcastResumedEventDataRequired = TypedDict(
    "_BroadcastResumedEventDataRequired",
    {
        "broadcast": "Broadcast",
    },
)


class BroadcastResumedEventData(_BroadcastResumedEventDataRequired):
    """BroadcastResumedEventData"""


_BroadcastResumedEventRequired = TypedDict(
    "_BroadcastResumedEventRequired",
    {
        "id": "str",
        "type": "Literal['broadcast.resumed']",
        "created_at": "str",
        "data": "BroadcastResumedEventData",
    },
)


class BroadcastResumedEvent(_BroadcastResumedEventRequired):
    """A paused broadcast continues, because a person resumed it or because the cause of the pause is over."""


_BroadcastToGroupRequired = TypedDict(
    "_BroadcastToGroupRequired",
    {
        "name": "str",
        "template": "str",
        "group": "int",
    },
)
_BroadcastToGroupOptional = TypedDict(
    "_BroadcastToGroupOptional",
    {
        "language": "str",
        "variables": "BroadcastVariables",
        "media": "HeaderMedia",
        "location": "Location",
        "offer_expires_at": "str",
        "cards": "List['BroadcastCard']",
        "products": "TemplateProducts",
        "from": "str",
        "send_at": "str",
    },
    total=False,
)


class BroadcastToGroup(_BroadcastToGroupRequired, _BroadcastToGroupOptional):
    """A broadcast to a group."""


_BroadcastToListRequired = TypedDict(
    "_BroadcastToListRequired",
    {
        "name": "str",
        "template": "str",
        "to": "List[str]",
    },
)
_BroadcastToListOptional = TypedDict(
    "_BroadcastToListOptional",
    {
        "language": "str",
        "variables": "BroadcastVariables",
        "media": "HeaderMedia",
        "location": "Location",
        "offer_expires_at": "str",
        "cards": "List['BroadcastCard']",
        "products": "TemplateProducts",
        "from": "str",
        "send_at": "str",
    },
    total=False,
)


class BroadcastToList(_BroadcastToListRequired, _BroadcastToListOptional):
    """A broadcast to a list of phone numbers."""


_BroadcastVariablesPartsOptional = TypedDict(
    "_BroadcastVariablesPartsOptional",
    {
        "header": "List[Union[Union[str, float], 'ContactFieldValue']]",
        "body": "List[Union[Union[str, float], 'ContactFieldValue']]",
        "buttons": "List[Union[Optional[Union[str, float]], 'ContactFieldValue']]",
    },
    total=False,
)


class BroadcastVariablesParts(_BroadcastVariablesPartsOptional):
    """Separate values for the header, the body and the buttons."""


BroadcastVariables = Union[List[Union[Union[str, float], "ContactFieldValue"]], "BroadcastVariablesParts", "NamedBroadcastVariables"]

_CardAddressOptional = TypedDict(
    "_CardAddressOptional",
    {
        "street": "str",
        "city": "str",
        "state": "str",
        "zip": "str",
        "country": "str",
        "country_code": "str",
        "type": "str",
    },
    total=False,
)


class CardAddress(_CardAddressOptional):
    """A postal address of a contact card."""


_CardEmailRequired = TypedDict(
    "_CardEmailRequired",
    {
        "email": "str",
    },
)
_CardEmailOptional = TypedDict(
    "_CardEmailOptional",
    {
        "type": "str",
    },
    total=False,
)


class CardEmail(_CardEmailRequired, _CardEmailOptional):
    """An email address of a contact card."""


CardMedia = Union["CardMediaByLink", "CardMediaById"]

_CardMediaByIdRequired = TypedDict(
    "_CardMediaByIdRequired",
    {
        "id": "int",
    },
)


class CardMediaById(_CardMediaByIdRequired):
    """The image or video of a card: by a link, or by the id of an upload."""


_CardMediaByLinkRequired = TypedDict(
    "_CardMediaByLinkRequired",
    {
        "link": "str",
    },
)


class CardMediaByLink(_CardMediaByLinkRequired):
    """The image or video of a card: by a link, or by the id of an upload."""


_CardNameRequired = TypedDict(
    "_CardNameRequired",
    {
        "formatted_name": "str",
    },
)
_CardNameOptional = TypedDict(
    "_CardNameOptional",
    {
        "first_name": "str",
        "last_name": "str",
        "middle_name": "str",
        "suffix": "str",
        "prefix": "str",
    },
    total=False,
)


class CardName(_CardNameRequired, _CardNameOptional):
    """The name on a contact card."""


_CardOrganizationOptional = TypedDict(
    "_CardOrganizationOptional",
    {
        "company": "str",
        "department": "str",
        "title": "str",
    },
    total=False,
)


class CardOrganization(_CardOrganizationOptional):
    """Where the person works."""


_CardPhoneRequired = TypedDict(
    "_CardPhoneRequired",
    {
        "phone": "str",
    },
)
_CardPhoneOptional = TypedDict(
    "_CardPhoneOptional",
    {
        "type": "str",
        "wa_id": "str",
    },
    total=False,
)


class CardPhone(_CardPhoneRequired, _CardPhoneOptional):
    """A phone number of a contact card."""


_CardUrlRequired = TypedDict(
    "_CardUrlRequired",
    {
        "url": "str",
    },
)
_CardUrlOptional = TypedDict(
    "_CardUrlOptional",
    {
        "type": "str",
    },
    total=False,
)


class CardUrl(_CardUrlRequired, _CardUrlOptional):
    """A website of a contact card."""


_ChangeConversationOptional = TypedDict(
    "_ChangeConversationOptional",
    {
        "state": "Literal['open', 'snoozed', 'done']",
        "snoozed_until": "Optional[str]",
        "assignee": "Optional[str]",
        "take": "bool",
    },
    total=False,
)


class ChangeConversation(_ChangeConversationOptional):
    """What changes of a conversation."""


_ChangeWebhookOptional = TypedDict(
    "_ChangeWebhookOptional",
    {
        "url": "str",
        "types": "List[Literal['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.scheduled', 'message.cancelled', 'message.received', 'media.stored', 'media.failed', 'contact.opted_out', 'contact.opted_in', 'contact.may_want_to_stop', 'contact.updated', 'conversation.updated', 'contact.erased', 'broadcast.paused', 'broadcast.resumed', 'broadcast.blocked', 'broadcast.finished', 'template.approved', 'template.rejected', 'template.updated', 'webhook.test']]",
        "state": "Literal['active', 'disabled']",
        "group_bursts": "Optional[str]",
    },
    total=False,
)


class ChangeWebhook(_ChangeWebhookOptional):
    """ChangeWebhook"""


_ChoiceListRequired = TypedDict(
    "_ChoiceListRequired",
    {
        "button": "str",
        "sections": "List['ListSection']",
    },
)


class ChoiceList(_ChoiceListRequired):
    """A list from which the person chooses one row."""


_ContactThreadsItemRequired = TypedDict(
    "_ContactThreadsItemRequired",
    {
        "number": "str",
        "owner": "Literal['us', 'other', 'nobody']",
        "since": "str",
    },
)


class ContactThreadsItem(_ContactThreadsItemRequired):
    """ContactThreadsItem"""


_ContactRequired = TypedDict(
    "_ContactRequired",
    {
        "phone": "Optional[str]",
        "user_id": "Optional[str]",
        "username": "Optional[str]",
        "name": "Optional[str]",
        "first_name": "Optional[str]",
        "last_name": "Optional[str]",
        "email": "Optional[str]",
        "city": "Optional[str]",
        "state": "Optional[str]",
        "postal_code": "Optional[str]",
        "company": "Optional[str]",
        "birthday": "Optional[str]",
        "anniversary": "Optional[str]",
        "fields": "Dict[str, Any]",
        "people": "List['PersonOnNumber']",
        "tags": "List[str]",
        "groups": "List['ContactGroup']",
        "consent": "ContactConsent",
        "last_message_from_them_at": "Optional[str]",
        "window_ends_at": "Optional[str]",
        "threads": "List['ContactThreadsItem']",
        "created_at": "str",
        "updated_at": "str",
    },
)


class Contact(_ContactRequired):
    """A person to whom the workspace can send messages, or who has sent it a message."""


_ContactCardRequired = TypedDict(
    "_ContactCardRequired",
    {
        "name": "CardName",
    },
)
_ContactCardOptional = TypedDict(
    "_ContactCardOptional",
    {
        "phones": "List['CardPhone']",
        "emails": "List['CardEmail']",
        "urls": "List['CardUrl']",
        "addresses": "List['CardAddress']",
        "org": "CardOrganization",
        "birthday": "str",
    },
    total=False,
)


class ContactCard(_ContactCardRequired, _ContactCardOptional):
    """A contact card, in WhatsApp's own form."""


_ContactComparisonFieldsItemRequired = TypedDict(
    "_ContactComparisonFieldsItemRequired",
    {
        "field": "str",
        "stays": "Union[Union['str', 'float', 'bool'], None]",
        "goes": "Union[Union['str', 'float', 'bool'], None]",
        "differs": "bool",
    },
)


class ContactComparisonFieldsItem(_ContactComparisonFieldsItemRequired):
    """ContactComparisonFieldsItem"""


_ContactComparisonConsentRequired = TypedDict(
    "_ContactComparisonConsentRequired",
    {
        "stays": "Literal['unknown', 'opted_in', 'opted_out']",
        "goes": "Literal['unknown', 'opted_in', 'opted_out']",
        "becomes": "Literal['unknown', 'opted_in', 'opted_out']",
    },
)


class ContactComparisonConsent(_ContactComparisonConsentRequired):
    """ContactComparisonConsent"""


_ContactComparisonMovesRequired = TypedDict(
    "_ContactComparisonMovesRequired",
    {
        "sent": "int",
        "of_broadcasts": "int",
        "scheduled": "int",
        "received": "int",
        "by_other_senders": "int",
        "notes": "int",
        "files": "int",
        "tags": "int",
        "groups": "int",
    },
)


class ContactComparisonMoves(_ContactComparisonMovesRequired):
    """What the contact that stays gets from the other one. 1,000 means that many or more."""


_ContactComparisonRequired = TypedDict(
    "_ContactComparisonRequired",
    {
        "fields": "List['ContactComparisonFieldsItem']",
        "consent": "ContactComparisonConsent",
        "further_phone": "Optional[str]",
        "moves": "ContactComparisonMoves",
        "seen": "str",
    },
)


class ContactComparison(_ContactComparisonRequired):
    """Two contacts side by side, and what joining them would do."""


_ContactConsentRequired = TypedDict(
    "_ContactConsentRequired",
    {
        "status": "Literal['unknown', 'opted_in', 'opted_out']",
        "source": "Optional[Literal['inbound_message', 'manual', 'bulk', 'import', 'api']]",
        "at": "Optional[str]",
        "purpose": "Optional[str]",
        "notice": "Optional[str]",
        "may_want_to_stop_since": "Optional[str]",
    },
)


class ContactConsent(_ContactConsentRequired):
    """Whether the person has agreed to receive messages."""


_ContactErasedEventDataRequired = TypedDict(
    "_ContactErasedEventDataRequired",
    {
        "phone": "Optional[str]",
        "user_id": "Optional[str]",
    },
)


class ContactErasedEventData(_ContactErasedEventDataRequired):
    """ContactErasedEventData"""


_ContactErasedEventRequired = TypedDict(
    "_ContactErasedEventRequired",
    {
        "id": "str",
        "type": "Literal['contact.erased']",
        "created_at": "str",
        "data": "ContactErasedEventData",
    },
)


class ContactErasedEvent(_ContactErasedEventRequired):
    """A person's data was erased on request: erase your copy too. The body of this event is emptied once
    it is delivered or its attempts are exhausted.
    """


_ContactFieldValueRequired = TypedDict(
    "_ContactFieldValueRequired",
    {
        "field": "str",
    },
)
_ContactFieldValueOptional = TypedDict(
    "_ContactFieldValueOptional",
    {
        "fallback": "str",
    },
    total=False,
)


class ContactFieldValue(_ContactFieldValueRequired, _ContactFieldValueOptional):
    """A value that is taken from a field of each contact."""


_ContactGroupRequired = TypedDict(
    "_ContactGroupRequired",
    {
        "id": "int",
        "name": "str",
    },
)


class ContactGroup(_ContactGroupRequired):
    """A static group that contains the contact."""


_ContactInputOptional = TypedDict(
    "_ContactInputOptional",
    {
        "name": "Optional[str]",
        "first_name": "Optional[str]",
        "last_name": "Optional[str]",
        "email": "Optional[str]",
        "city": "Optional[str]",
        "state": "Optional[str]",
        "postal_code": "Optional[str]",
        "company": "Optional[str]",
        "birthday": "Optional[str]",
        "anniversary": "Optional[str]",
        "fields": "Dict[str, Any]",
        "people": "List['PersonInput']",
        "add_tags": "List[str]",
        "remove_tags": "List[str]",
        "add_to_groups": "List[Union[int, str]]",
        "remove_from_groups": "List[Union[int, str]]",
        "consent": "Literal['opted_in', 'opted_out']",
        "may_want_to_stop": "Literal[False]",
        "consent_purpose": "str",
        "consent_notice": "str",
    },
    total=False,
)


class ContactInput(_ContactInputOptional):
    """Fields that are not sent keep their value. Null clears a text or a date."""


_ContactMayWantToStopEventDataRequired = TypedDict(
    "_ContactMayWantToStopEventDataRequired",
    {
        "contact": "Contact",
        "text": "str",
    },
)


class ContactMayWantToStopEventData(_ContactMayWantToStopEventDataRequired):
    """ContactMayWantToStopEventData"""


_ContactMayWantToStopEventRequired = TypedDict(
    "_ContactMayWantToStopEventRequired",
    {
        "id": "str",
        "type": "Literal['contact.may_want_to_stop']",
        "created_at": "str",
        "data": "ContactMayWantToStopEventData",
    },
)


class ContactMayWantToStopEvent(_ContactMayWantToStopEventRequired):
    """A person wrote something that may mean STOP: a word with other meanings, STOP inside more text, or a
    refusal in other words; or reacted to marketing with a thumbs-down or a stop sign. `text` is what
    they wrote; it is empty where their message could not be read. Marketing waits, and no opt-in is
    recorded, until a user clears it in the console or the person sends START.
    """


_ContactOfManyInputRequired = TypedDict(
    "_ContactOfManyInputRequired",
    {
        "phone": "str",
    },
)
_ContactOfManyInputOptional = TypedDict(
    "_ContactOfManyInputOptional",
    {
        "name": "Optional[str]",
        "first_name": "Optional[str]",
        "last_name": "Optional[str]",
        "email": "Optional[str]",
        "city": "Optional[str]",
        "state": "Optional[str]",
        "postal_code": "Optional[str]",
        "company": "Optional[str]",
        "birthday": "Optional[str]",
        "anniversary": "Optional[str]",
        "fields": "Dict[str, Any]",
        "people": "List['PersonInput']",
        "add_tags": "List[str]",
        "remove_tags": "List[str]",
        "add_to_groups": "List[Union[int, str]]",
        "remove_from_groups": "List[Union[int, str]]",
        "consent": "Literal['opted_in', 'opted_out']",
        "may_want_to_stop": "Literal[False]",
        "consent_purpose": "str",
        "consent_notice": "str",
    },
    total=False,
)


class ContactOfManyInput(_ContactOfManyInputRequired, _ContactOfManyInputOptional):
    """One of many contacts to create or update: its number, and the fields of `ContactInput`."""


_ContactOptedInEventDataRequired = TypedDict(
    "_ContactOptedInEventDataRequired",
    {
        "contact": "Contact",
    },
)


class ContactOptedInEventData(_ContactOptedInEventDataRequired):
    """ContactOptedInEventData"""


_ContactOptedInEventRequired = TypedDict(
    "_ContactOptedInEventRequired",
    {
        "id": "str",
        "type": "Literal['contact.opted_in']",
        "created_at": "str",
        "data": "ContactOptedInEventData",
    },
)


class ContactOptedInEvent(_ContactOptedInEventRequired):
    """A person who had opted out sent START."""


_ContactOptedOutEventDataRequired = TypedDict(
    "_ContactOptedOutEventDataRequired",
    {
        "contact": "Contact",
    },
)


class ContactOptedOutEventData(_ContactOptedOutEventDataRequired):
    """ContactOptedOutEventData"""


_ContactOptedOutEventRequired = TypedDict(
    "_ContactOptedOutEventRequired",
    {
        "id": "str",
        "type": "Literal['contact.opted_out']",
        "created_at": "str",
        "data": "ContactOptedOutEventData",
    },
)


class ContactOptedOutEvent(_ContactOptedOutEventRequired):
    """A person replied STOP, or was marked as opted out. No more messages are sent to them."""


_ContactResultRequired = TypedDict(
    "_ContactResultRequired",
    {
        "phone": "Optional[str]",
        "status": "Literal[200, 201, 400, 422]",
    },
)
_ContactResultOptional = TypedDict(
    "_ContactResultOptional",
    {
        "contact": "Contact",
        "error": "Union['InvalidRequestError', 'InvalidNumberError', 'OptedOutError']",
    },
    total=False,
)


class ContactResult(_ContactResultRequired, _ContactResultOptional):
    """The outcome of one contact. `contact` is present with 200 and 201, `error` with 400 and 422."""


_ContactUpdatedEventDataRequired = TypedDict(
    "_ContactUpdatedEventDataRequired",
    {
        "contact": "Contact",
    },
)


class ContactUpdatedEventData(_ContactUpdatedEventDataRequired):
    """ContactUpdatedEventData"""


_ContactUpdatedEventRequired = TypedDict(
    "_ContactUpdatedEventRequired",
    {
        "id": "str",
        "type": "Literal['contact.updated']",
        "created_at": "str",
        "data": "ContactUpdatedEventData",
    },
)


class ContactUpdatedEvent(_ContactUpdatedEventRequired):
    """Anything that the API shows of a contact changed, or the contact is new. Sent only to addresses that
    asked for it (`waxwing webhook set --types`), at once, or a minute after the previous one for the
    same contact, with the contact as it is then. Imports send none.
    """


_ContactsContentRequired = TypedDict(
    "_ContactsContentRequired",
    {
        "contacts": "List['ContactCard']",
    },
)


class ContactsContent(_ContactsContentRequired):
    """The contact cards that were sent."""


_ContactsInputRequired = TypedDict(
    "_ContactsInputRequired",
    {
        "contacts": "List['ContactOfManyInput']",
    },
)


class ContactsInput(_ContactsInputRequired):
    """Many contacts to create or update."""


_ContactsMessageRequired = TypedDict(
    "_ContactsMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['contacts']",
        "category": "None",
        "template": "None",
        "content": "Union['ContactsContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "Literal[False]",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class ContactsMessage(_ContactsMessageRequired):
    """Contact cards that were sent to one person."""


_ControlThreadRequired = TypedDict(
    "_ControlThreadRequired",
    {
        "action": "Literal['take', 'release', 'pass']",
    },
)
_ControlThreadOptional = TypedDict(
    "_ControlThreadOptional",
    {
        "to": "Literal['ai_agent']",
    },
    total=False,
)


class ControlThread(_ControlThreadRequired, _ControlThreadOptional):
    """Who is to have a conversation."""


_ConversationRequired = TypedDict(
    "_ConversationRequired",
    {
        "id": "int",
        "contact": "Contact",
        "number": "str",
        "owner": "Literal['us', 'other', 'nobody']",
        "owner_since": "str",
        "state": "Literal['open', 'snoozed', 'done']",
        "snoozed_until": "Optional[str]",
        "assignee": "Optional[str]",
        "block_state": "Optional[Literal['blocked', 'checking']]",
        "unread": "int",
        "last_message": "Union['ConversationEntry', None]",
        "window_ends_at": "Optional[str]",
    },
)


class Conversation(_ConversationRequired):
    """A person on one number of the workspace."""


_ConversationEntryControlPassRequired = TypedDict(
    "_ConversationEntryControlPassRequired",
    {
        "from": "Optional[str]",
        "to": "Optional[str]",
    },
)


class ConversationEntryControlPass(_ConversationEntryControlPassRequired):
    """Only with the origin `control_pass`: who held the conversation before and after."""


_ConversationEntryRequired = TypedDict(
    "_ConversationEntryRequired",
    {
        "direction": "Literal['in', 'out']",
        "id": "Optional[int]",
        "origin": "Literal['messages', 'standby', 'history', 'phone', 'control_pass', 'api', 'console', 'broadcast', 'automation']",
        "sent_by": "Union['SentBy', None]",
        "type": "str",
        "text": "Optional[str]",
        "details": "InboundDetails",
        "status": "Optional[str]",
        "at": "str",
    },
)
_ConversationEntryOptional = TypedDict(
    "_ConversationEntryOptional",
    {
        "control_pass": "ConversationEntryControlPass",
    },
    total=False,
)


class ConversationEntry(_ConversationEntryRequired, _ConversationEntryOptional):
    """An entry of a conversation."""


_ConversationNoteAuthorRequired = TypedDict(
    "_ConversationNoteAuthorRequired",
    {
        "kind": "Literal['user', 'api']",
        "name": "str",
    },
)


class ConversationNoteAuthor(_ConversationNoteAuthorRequired):
    """Who wrote it: the user's e-mail address, or the name of the program's key."""


_ConversationNoteRequired = TypedDict(
    "_ConversationNoteRequired",
    {
        "id": "int",
        "text": "str",
        "author": "ConversationNoteAuthor",
        "created_at": "str",
    },
)


class ConversationNote(_ConversationNoteRequired):
    """A note of the staff about a conversation."""


_ConversationUpdatedEventDataRequired = TypedDict(
    "_ConversationUpdatedEventDataRequired",
    {
        "conversation": "Conversation",
    },
)


class ConversationUpdatedEventData(_ConversationUpdatedEventDataRequired):
    """ConversationUpdatedEventData"""


_ConversationUpdatedEventRequired = TypedDict(
    "_ConversationUpdatedEventRequired",
    {
        "id": "str",
        "type": "Literal['conversation.updated']",
        "created_at": "str",
        "data": "ConversationUpdatedEventData",
    },
)


class ConversationUpdatedEvent(_ConversationUpdatedEventRequired):
    """On a number that others answer too, who may answer the person changed: a message arrived for you or
    for another sender, a sender passed or took the conversation, or you did. On every number, its state
    or who answers it changed; a done or snoozed conversation opens when the person writes. Sent only to
    addresses that asked for it (`waxwing webhook set --types`). The end of 24 hours without a word of
    the person publishes nothing.
    """


_CorrectTemplateSampleMediaOptional = TypedDict(
    "_CorrectTemplateSampleMediaOptional",
    {
        "header": "int",
        "cards": "List[int]",
    },
    total=False,
)


class CorrectTemplateSampleMedia(_CorrectTemplateSampleMediaOptional):
    """Files of `POST /media` that are given to WhatsApp as samples."""


_CorrectTemplateComponentsItemRequired = TypedDict(
    "_CorrectTemplateComponentsItemRequired",
    {
        "type": "str",
    },
)


class CorrectTemplateComponentsItem(_CorrectTemplateComponentsItemRequired):
    """CorrectTemplateComponentsItem"""


_CorrectTemplateRequired = TypedDict(
    "_CorrectTemplateRequired",
    {
        "category": "Literal['MARKETING', 'UTILITY', 'AUTHENTICATION']",
        "components": "List['CorrectTemplateComponentsItem']",
    },
)
_CorrectTemplateOptional = TypedDict(
    "_CorrectTemplateOptional",
    {
        "name": "str",
        "language": "str",
        "parameter_format": "Literal['POSITIONAL', 'NAMED']",
        "message_send_ttl_seconds": "int",
        "from": "str",
        "sample_media": "CorrectTemplateSampleMedia",
    },
    total=False,
)


class CorrectTemplate(_CorrectTemplateRequired, _CorrectTemplateOptional):
    """All parts of a template, which replace the present ones."""


CreateBroadcast = Union["BroadcastToList", "BroadcastToGroup"]

_CreatedBroadcastRequired = TypedDict(
    "_CreatedBroadcastRequired",
    {
        "id": "int",
        "name": "str",
        "status": "Literal['scheduled', 'queueing', 'running', 'paused', 'completed', 'cancelled', 'failed']",
        "status_reason": "Optional[str]",
        "template": "MessageTemplate",
        "from": "str",
        "counts": "BroadcastCounts",
        "held": "int",
        "charged": "Optional[str]",
        "settled": "bool",
        "send_at": "Optional[str]",
        "started_at": "Optional[str]",
        "completed_at": "Optional[str]",
        "created_at": "str",
        "requested": "int",
        "skipped": "List['Skip']",
    },
)


class CreatedBroadcast(_CreatedBroadcastRequired):
    """A new broadcast, with the recipients that it skips."""


_DeletedTemplatesRequired = TypedDict(
    "_DeletedTemplatesRequired",
    {
        "name": "str",
        "languages": "List[str]",
    },
)


class DeletedTemplates(_DeletedTemplatesRequired):
    """Templates that WhatsApp no longer has."""


_DifferentPeopleRequired = TypedDict(
    "_DifferentPeopleRequired",
    {
        "different": "bool",
    },
)


class DifferentPeople(_DifferentPeopleRequired):
    """That two contacts are different people."""


_DuplicateContactRequired = TypedDict(
    "_DuplicateContactRequired",
    {
        "phone": "Optional[str]",
        "user_id": "Optional[str]",
        "name": "Optional[str]",
        "email": "Optional[str]",
        "birthday": "Optional[str]",
        "consent": "Literal['unknown', 'opted_in', 'opted_out']",
        "last_message_from_them_at": "Optional[str]",
        "created_at": "str",
    },
)


class DuplicateContact(_DuplicateContactRequired):
    """One of two contacts that may be one person."""


_DuplicatePairRequired = TypedDict(
    "_DuplicatePairRequired",
    {
        "reasons": "List[Literal['network', 'same_number', 'same_email', 'same_name_and_birthday']]",
        "one": "DuplicateContact",
        "other": "DuplicateContact",
    },
)


class DuplicatePair(_DuplicatePairRequired):
    """Two contacts that may be one person, and why."""


WebhookEvent = Union["MessageSentEvent", "MessageDeliveredEvent", "MessageReadEvent", "MessageFailedEvent", "MessageScheduledEvent", "MessageCancelledEvent", "MessageReceivedEvent", "MediaStoredEvent", "MediaFailedEvent", "ContactOptedOutEvent", "ContactOptedInEvent", "ContactMayWantToStopEvent", "ContactUpdatedEvent", "ConversationUpdatedEvent", "ContactErasedEvent", "BroadcastPausedEvent", "BroadcastResumedEvent", "BroadcastBlockedEvent", "BroadcastFinishedEvent", "TemplateApprovedEvent", "TemplateRejectedEvent", "TemplateUpdatedEvent", "WebhookTestEvent"]

_EventLogPageRequired = TypedDict(
    "_EventLogPageRequired",
    {
        "per_page": "int",
        "has_more": "bool",
        "next": "str",
    },
)
_EventLogPageOptional = TypedDict(
    "_EventLogPageOptional",
    {
        "signatures": "List[Optional[str]]",
        "cursors": "List[str]",
    },
    total=False,
)


class EventLogPage(_EventLogPageRequired, _EventLogPageOptional):
    """The position in the event log."""


FileHeader = Union["FileHeaderByLink", "FileHeaderById"]

_FileHeaderByIdRequired = TypedDict(
    "_FileHeaderByIdRequired",
    {
        "id": "int",
        "type": "Literal['image', 'video', 'document']",
    },
)
_FileHeaderByIdOptional = TypedDict(
    "_FileHeaderByIdOptional",
    {
        "filename": "str",
    },
    total=False,
)


class FileHeaderById(_FileHeaderByIdRequired, _FileHeaderByIdOptional):
    """A file at the top: by a link, which is not stored, or by the id of an upload."""


_FileHeaderByLinkRequired = TypedDict(
    "_FileHeaderByLinkRequired",
    {
        "link": "str",
        "type": "Literal['image', 'video', 'document']",
    },
)
_FileHeaderByLinkOptional = TypedDict(
    "_FileHeaderByLinkOptional",
    {
        "filename": "str",
    },
    total=False,
)


class FileHeaderByLink(_FileHeaderByLinkRequired, _FileHeaderByLinkOptional):
    """A file at the top: by a link, which is not stored, or by the id of an upload."""


_FlowRequired = TypedDict(
    "_FlowRequired",
    {
        "id": "str",
        "cta": "str",
    },
)
_FlowOptional = TypedDict(
    "_FlowOptional",
    {
        "token": "str",
        "screen": "str",
        "data": "Dict[str, Any]",
    },
    total=False,
)


class Flow(_FlowRequired, _FlowOptional):
    """A form made in WhatsApp Flows."""


_GroupRequired = TypedDict(
    "_GroupRequired",
    {
        "id": "int",
        "name": "str",
        "type": "Literal['static', 'dynamic']",
        "count": "int",
    },
)


class Group(_GroupRequired):
    """A static or dynamic group of contacts."""


HeaderMedia = Union["HeaderMediaByLink", "HeaderMediaById"]

_HeaderMediaByIdRequired = TypedDict(
    "_HeaderMediaByIdRequired",
    {
        "id": "int",
    },
)
_HeaderMediaByIdOptional = TypedDict(
    "_HeaderMediaByIdOptional",
    {
        "filename": "str",
    },
    total=False,
)


class HeaderMediaById(_HeaderMediaByIdRequired, _HeaderMediaByIdOptional):
    """The file for a template with a media header: by a link, which is not stored longer than the message
    or broadcast needs it, or by the id of an upload of the header's media type.
    """


_HeaderMediaByLinkRequired = TypedDict(
    "_HeaderMediaByLinkRequired",
    {
        "link": "str",
    },
)
_HeaderMediaByLinkOptional = TypedDict(
    "_HeaderMediaByLinkOptional",
    {
        "filename": "str",
    },
    total=False,
)


class HeaderMediaByLink(_HeaderMediaByLinkRequired, _HeaderMediaByLinkOptional):
    """The file for a template with a media header: by a link, which is not stored longer than the message
    or broadcast needs it, or by the id of an upload of the header's media type.
    """


_InboundDetailsButtonRequired = TypedDict(
    "_InboundDetailsButtonRequired",
    {
        "title": "Optional[str]",
        "payload": "Optional[str]",
    },
)


class InboundDetailsButton(_InboundDetailsButtonRequired):
    """The button that was pressed."""


_InboundDetailsListRequired = TypedDict(
    "_InboundDetailsListRequired",
    {
        "id": "Optional[str]",
        "title": "Optional[str]",
        "description": "Optional[str]",
    },
)


class InboundDetailsList(_InboundDetailsListRequired):
    """The row that was chosen."""


_InboundDetailsFormFilesItemRequired = TypedDict(
    "_InboundDetailsFormFilesItemRequired",
    {
        "id": "int",
        "mime_type": "Optional[str]",
        "sha256": "Optional[str]",
        "filename": "Optional[str]",
    },
)


class InboundDetailsFormFilesItem(_InboundDetailsFormFilesItemRequired):
    """InboundDetailsFormFilesItem"""


_InboundDetailsFormRequired = TypedDict(
    "_InboundDetailsFormRequired",
    {
        "name": "Optional[str]",
        "values": "Union[Dict[str, Any], None]",
    },
)
_InboundDetailsFormOptional = TypedDict(
    "_InboundDetailsFormOptional",
    {
        "text": "str",
        "is_cut": "bool",
        "files": "List['InboundDetailsFormFilesItem']",
    },
    total=False,
)


class InboundDetailsForm(_InboundDetailsFormRequired, _InboundDetailsFormOptional):
    """A form that was filled in."""


_InboundDetailsOrderItemsItemRequired = TypedDict(
    "_InboundDetailsOrderItemsItemRequired",
    {
        "product": "Optional[str]",
        "quantity": "Optional[float]",
        "price": "Optional[float]",
    },
)
_InboundDetailsOrderItemsItemOptional = TypedDict(
    "_InboundDetailsOrderItemsItemOptional",
    {
        "currency": "Optional[str]",
    },
    total=False,
)


class InboundDetailsOrderItemsItem(_InboundDetailsOrderItemsItemRequired, _InboundDetailsOrderItemsItemOptional):
    """InboundDetailsOrderItemsItem"""


_InboundDetailsOrderRequired = TypedDict(
    "_InboundDetailsOrderRequired",
    {
        "items": "List['InboundDetailsOrderItemsItem']",
        "currency": "Optional[str]",
        "total": "Optional[float]",
    },
)
_InboundDetailsOrderOptional = TypedDict(
    "_InboundDetailsOrderOptional",
    {
        "catalog_id": "str",
    },
    total=False,
)


class InboundDetailsOrder(_InboundDetailsOrderRequired, _InboundDetailsOrderOptional):
    """An order from the catalog. Several currencies have no `currency` and no `total`."""


_InboundDetailsLocationRequired = TypedDict(
    "_InboundDetailsLocationRequired",
    {
        "latitude": "Optional[float]",
        "longitude": "Optional[float]",
        "name": "Optional[str]",
        "address": "Optional[str]",
        "url": "Optional[str]",
    },
)


class InboundDetailsLocation(_InboundDetailsLocationRequired):
    """InboundDetailsLocation"""


_InboundDetailsContactsItemRequired = TypedDict(
    "_InboundDetailsContactsItemRequired",
    {
        "name": "Optional[str]",
        "company": "Optional[str]",
        "phones": "List[str]",
        "emails": "List[str]",
    },
)
_InboundDetailsContactsItemOptional = TypedDict(
    "_InboundDetailsContactsItemOptional",
    {
        "card": "Any",
    },
    total=False,
)


class InboundDetailsContactsItem(_InboundDetailsContactsItemRequired, _InboundDetailsContactsItemOptional):
    """InboundDetailsContactsItem"""


_InboundDetailsReactionRequired = TypedDict(
    "_InboundDetailsReactionRequired",
    {
        "emoji": "Optional[str]",
    },
)
_InboundDetailsReactionOptional = TypedDict(
    "_InboundDetailsReactionOptional",
    {
        "message_id": "Optional[int]",
        "direction": "Literal['out']",
        "to": "Union['NamedMessage', None]",
    },
    total=False,
)


class InboundDetailsReaction(_InboundDetailsReactionRequired, _InboundDetailsReactionOptional):
    """`emoji` is null if a reaction was removed."""


_InboundDetailsReplyToRequired = TypedDict(
    "_InboundDetailsReplyToRequired",
    {
        "message_id": "Optional[int]",
    },
)
_InboundDetailsReplyToOptional = TypedDict(
    "_InboundDetailsReplyToOptional",
    {
        "direction": "Literal['out']",
        "inbound": "int",
        "message": "int",
    },
    total=False,
)


class InboundDetailsReplyTo(_InboundDetailsReplyToRequired, _InboundDetailsReplyToOptional):
    """InboundDetailsReplyTo"""


_InboundDetailsReferralRequired = TypedDict(
    "_InboundDetailsReferralRequired",
    {
        "source": "Optional[str]",
        "source_type": "Optional[str]",
        "source_id": "Optional[str]",
        "headline": "Optional[str]",
        "body": "Optional[str]",
        "click_id": "Optional[str]",
    },
)
_InboundDetailsReferralOptional = TypedDict(
    "_InboundDetailsReferralOptional",
    {
        "media_type": "str",
        "media_url": "str",
        "thumbnail_url": "str",
        "welcome": "str",
    },
    total=False,
)


class InboundDetailsReferral(_InboundDetailsReferralRequired, _InboundDetailsReferralOptional):
    """The advertisement that the person came from."""


_InboundDetailsForwardedRequired = TypedDict(
    "_InboundDetailsForwardedRequired",
    {
        "often": "bool",
    },
)


class InboundDetailsForwarded(_InboundDetailsForwardedRequired):
    """The person forwarded the message; `often`: many times."""


_InboundDetailsProductRequired = TypedDict(
    "_InboundDetailsProductRequired",
    {
        "catalog": "Optional[str]",
        "product": "Optional[str]",
    },
)


class InboundDetailsProduct(_InboundDetailsProductRequired):
    """The product that the message asks about."""


_InboundDetailsCallRequired = TypedDict(
    "_InboundDetailsCallRequired",
    {
        "direction": "Optional[str]",
        "status": "Optional[str]",
    },
)


class InboundDetailsCall(_InboundDetailsCallRequired):
    """A call. `status` is the network's: `COMPLETED` if it was answered. Never in an event."""


_InboundDetailsNumberChangeRequired = TypedDict(
    "_InboundDetailsNumberChangeRequired",
    {
        "from": "Optional[str]",
        "to": "Optional[str]",
    },
)


class InboundDetailsNumberChange(_InboundDetailsNumberChangeRequired):
    """The person's former and new phone number; their user ids, if only these changed. The contact has the
    new one.
    """


_InboundDetailsEditedRequired = TypedDict(
    "_InboundDetailsEditedRequired",
    {
        "message_id": "Optional[int]",
    },
)
_InboundDetailsEditedOptional = TypedDict(
    "_InboundDetailsEditedOptional",
    {
        "direction": "Literal['out']",
        "inbound": "int",
        "message": "int",
    },
    total=False,
)


class InboundDetailsEdited(_InboundDetailsEditedRequired, _InboundDetailsEditedOptional):
    """InboundDetailsEdited"""


_InboundDetailsDeletedRequired = TypedDict(
    "_InboundDetailsDeletedRequired",
    {
        "message_id": "Optional[int]",
    },
)
_InboundDetailsDeletedOptional = TypedDict(
    "_InboundDetailsDeletedOptional",
    {
        "direction": "Literal['out']",
        "inbound": "int",
        "message": "int",
    },
    total=False,
)


class InboundDetailsDeleted(_InboundDetailsDeletedRequired, _InboundDetailsDeletedOptional):
    """InboundDetailsDeleted"""


_InboundDetailsUnsupportedRequired = TypedDict(
    "_InboundDetailsUnsupportedRequired",
    {
        "reason": "Optional[str]",
    },
)
_InboundDetailsUnsupportedOptional = TypedDict(
    "_InboundDetailsUnsupportedOptional",
    {
        "type": "Optional[str]",
    },
    total=False,
)


class InboundDetailsUnsupported(_InboundDetailsUnsupportedRequired, _InboundDetailsUnsupportedOptional):
    """The network could not pass on this message."""


_InboundDetailsOptional = TypedDict(
    "_InboundDetailsOptional",
    {
        "media": "ReceivedMedia",
        "button": "InboundDetailsButton",
        "list": "InboundDetailsList",
        "form": "InboundDetailsForm",
        "order": "InboundDetailsOrder",
        "location": "InboundDetailsLocation",
        "contacts": "List['InboundDetailsContactsItem']",
        "reaction": "InboundDetailsReaction",
        "reply_to": "InboundDetailsReplyTo",
        "referral": "InboundDetailsReferral",
        "forwarded": "InboundDetailsForwarded",
        "product": "InboundDetailsProduct",
        "call": "InboundDetailsCall",
        "number_change": "InboundDetailsNumberChange",
        "edited": "InboundDetailsEdited",
        "deleted": "InboundDetailsDeleted",
        "unsupported": "InboundDetailsUnsupported",
        "raw": "Any",
    },
    total=False,
)


class InboundDetails(_InboundDetailsOptional):
    """What the message brings beside its text. Members depend on its type."""


_InboundMessageRequired = TypedDict(
    "_InboundMessageRequired",
    {
        "id": "int",
        "from": "Optional[str]",
        "to": "str",
        "type": "str",
        "text": "Optional[str]",
        "details": "InboundDetails",
        "received_at": "str",
    },
)
_InboundMessageOptional = TypedDict(
    "_InboundMessageOptional",
    {
        "origin": "Literal['standby']",
    },
    total=False,
)


class InboundMessage(_InboundMessageRequired, _InboundMessageOptional):
    """A message that a person sent to the workspace."""


Interactive = Union["InteractiveButtons", "InteractiveList", "InteractiveLink", "InteractiveLocationRequest", "InteractiveAddress", "InteractiveFlow"]

_InteractiveAddressRequired = TypedDict(
    "_InteractiveAddressRequired",
    {
        "body": "str",
        "address": "AddressRequest",
    },
)
_InteractiveAddressOptional = TypedDict(
    "_InteractiveAddressOptional",
    {
        "header": "Union['str', 'FileHeader']",
        "footer": "str",
    },
    total=False,
)


class InteractiveAddress(_InteractiveAddressRequired, _InteractiveAddressOptional):
    """A form for a postal address, in India."""


_InteractiveButtonsRequired = TypedDict(
    "_InteractiveButtonsRequired",
    {
        "body": "str",
        "buttons": "List['ReplyButton']",
    },
)
_InteractiveButtonsOptional = TypedDict(
    "_InteractiveButtonsOptional",
    {
        "header": "Union['str', 'FileHeader']",
        "footer": "str",
    },
    total=False,
)


class InteractiveButtons(_InteractiveButtonsRequired, _InteractiveButtonsOptional):
    """One to three buttons; pressing one is an answer."""


_InteractiveContentInteractiveRequired = TypedDict(
    "_InteractiveContentInteractiveRequired",
    {
        "body": "str",
    },
)
_InteractiveContentInteractiveOptional = TypedDict(
    "_InteractiveContentInteractiveOptional",
    {
        "header": "Union['str', 'SentFileHeader']",
        "footer": "str",
        "buttons": "List['ReplyButton']",
        "list": "ChoiceList",
        "link": "LinkButton",
        "location_request": "Literal['true']",
        "address": "AddressRequest",
        "flow": "Flow",
    },
    total=False,
)


class InteractiveContentInteractive(_InteractiveContentInteractiveRequired, _InteractiveContentInteractiveOptional):
    """InteractiveContentInteractive"""


_InteractiveContentRequired = TypedDict(
    "_InteractiveContentRequired",
    {
        "interactive": "InteractiveContentInteractive",
    },
)


class InteractiveContent(_InteractiveContentRequired):
    """The text with its action that was sent."""


_InteractiveFlowRequired = TypedDict(
    "_InteractiveFlowRequired",
    {
        "body": "str",
        "flow": "Flow",
    },
)
_InteractiveFlowOptional = TypedDict(
    "_InteractiveFlowOptional",
    {
        "header": "Union['str', 'FileHeader']",
        "footer": "str",
    },
    total=False,
)


class InteractiveFlow(_InteractiveFlowRequired, _InteractiveFlowOptional):
    """A button that opens a form made in WhatsApp Flows."""


_InteractiveLinkRequired = TypedDict(
    "_InteractiveLinkRequired",
    {
        "body": "str",
        "link": "LinkButton",
    },
)
_InteractiveLinkOptional = TypedDict(
    "_InteractiveLinkOptional",
    {
        "header": "Union['str', 'FileHeader']",
        "footer": "str",
    },
    total=False,
)


class InteractiveLink(_InteractiveLinkRequired, _InteractiveLinkOptional):
    """A button that opens a website."""


_InteractiveListRequired = TypedDict(
    "_InteractiveListRequired",
    {
        "body": "str",
        "list": "ChoiceList",
    },
)
_InteractiveListOptional = TypedDict(
    "_InteractiveListOptional",
    {
        "header": "str",
        "footer": "str",
    },
    total=False,
)


class InteractiveList(_InteractiveListRequired, _InteractiveListOptional):
    """A list from which one row is chosen."""


_InteractiveLocationRequestRequired = TypedDict(
    "_InteractiveLocationRequestRequired",
    {
        "body": "str",
        "location_request": "Literal['true']",
    },
)


class InteractiveLocationRequest(_InteractiveLocationRequestRequired):
    """A button by which the person sends their location."""


_InteractiveMessageRequired = TypedDict(
    "_InteractiveMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['interactive']",
        "category": "Optional[Literal['utility']]",
        "template": "None",
        "content": "Union['InteractiveContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "bool",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class InteractiveMessage(_InteractiveMessageRequired):
    """A text with an action below it that was sent to one person."""


_LibraryTemplateButtonsItemRequired = TypedDict(
    "_LibraryTemplateButtonsItemRequired",
    {
        "type": "str",
        "text": "str",
        "url": "Optional[str]",
        "phone_number": "Optional[str]",
    },
)


class LibraryTemplateButtonsItem(_LibraryTemplateButtonsItemRequired):
    """LibraryTemplateButtonsItem"""


_LibraryTemplateRequired = TypedDict(
    "_LibraryTemplateRequired",
    {
        "name": "str",
        "language": "str",
        "category": "Literal['MARKETING', 'UTILITY', 'AUTHENTICATION']",
        "topic": "Optional[str]",
        "usecase": "Optional[str]",
        "industry": "List[str]",
        "header": "Optional[str]",
        "body": "str",
        "body_params": "List[str]",
        "body_param_types": "List[str]",
        "buttons": "List['LibraryTemplateButtonsItem']",
    },
)


class LibraryTemplate(_LibraryTemplateRequired):
    """A template of WhatsApp's library: its words are fixed and reviewed."""


_LinkButtonRequired = TypedDict(
    "_LinkButtonRequired",
    {
        "title": "str",
        "url": "str",
    },
)


class LinkButton(_LinkButtonRequired):
    """A button that opens a website."""


_ListRowRequired = TypedDict(
    "_ListRowRequired",
    {
        "id": "str",
        "title": "str",
    },
)
_ListRowOptional = TypedDict(
    "_ListRowOptional",
    {
        "description": "str",
    },
    total=False,
)


class ListRow(_ListRowRequired, _ListRowOptional):
    """A row of a list."""


_ListSectionRequired = TypedDict(
    "_ListSectionRequired",
    {
        "rows": "List['ListRow']",
    },
)
_ListSectionOptional = TypedDict(
    "_ListSectionOptional",
    {
        "title": "str",
    },
    total=False,
)


class ListSection(_ListSectionRequired, _ListSectionOptional):
    """Rows under a common title."""


_LocationRequired = TypedDict(
    "_LocationRequired",
    {
        "latitude": "float",
        "longitude": "float",
    },
)
_LocationOptional = TypedDict(
    "_LocationOptional",
    {
        "name": "str",
        "address": "str",
    },
    total=False,
)


class Location(_LocationRequired, _LocationOptional):
    """A place on the map."""


_LocationContentRequired = TypedDict(
    "_LocationContentRequired",
    {
        "location": "Location",
    },
)


class LocationContent(_LocationContentRequired):
    """The place that was sent."""


_LocationMessageRequired = TypedDict(
    "_LocationMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['location']",
        "category": "None",
        "template": "None",
        "content": "Union['LocationContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "Literal[False]",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class LocationMessage(_LocationMessageRequired):
    """A place on the map that was sent to one person."""


_MarkReadOptional = TypedDict(
    "_MarkReadOptional",
    {
        "typing": "bool",
    },
    total=False,
)


class MarkRead(_MarkReadOptional):
    """How a received message is marked."""


_MarkedReadRequired = TypedDict(
    "_MarkedReadRequired",
    {
        "id": "int",
        "typing": "bool",
    },
)


class MarkedRead(_MarkedReadRequired):
    """A received message that is marked as read."""


_MediaContentMediaRequired = TypedDict(
    "_MediaContentMediaRequired",
    {
        "type": "Literal['image', 'video', 'audio', 'document', 'sticker']",
    },
)
_MediaContentMediaOptional = TypedDict(
    "_MediaContentMediaOptional",
    {
        "id": "int",
        "caption": "str",
        "filename": "str",
        "voice": "bool",
    },
    total=False,
)


class MediaContentMedia(_MediaContentMediaRequired, _MediaContentMediaOptional):
    """MediaContentMedia"""


_MediaContentRequired = TypedDict(
    "_MediaContentRequired",
    {
        "media": "MediaContentMedia",
    },
)


class MediaContent(_MediaContentRequired):
    """The file that was sent, without its link."""


_MediaFailedEventDataRequired = TypedDict(
    "_MediaFailedEventDataRequired",
    {
        "reason": "Literal['too_large', 'not_found', 'unavailable', 'no_room', 'number_removed']",
        "inbound_id": "int",
        "message_id": "int",
        "from": "Optional[str]",
        "to": "str",
        "contact": "Contact",
    },
)


class MediaFailedEventData(_MediaFailedEventDataRequired):
    """MediaFailedEventData"""


_MediaFailedEventRequired = TypedDict(
    "_MediaFailedEventRequired",
    {
        "id": "str",
        "type": "Literal['media.failed']",
        "created_at": "str",
        "data": "MediaFailedEventData",
    },
)


class MediaFailedEvent(_MediaFailedEventRequired):
    """`too_large`: larger than this server accepts. `not_found`: WhatsApp no longer has it. `unavailable`:
    WhatsApp did not give it for 7 days. `no_room`: the disk quota left no room for 7 days.
    `number_removed`: the number was removed first.
    """


_MediaMessageRequired = TypedDict(
    "_MediaMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['image', 'video', 'audio', 'document', 'sticker']",
        "category": "None",
        "template": "None",
        "content": "Union['MediaContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "Literal[False]",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class MediaMessage(_MediaMessageRequired):
    """A file that was sent to one person."""


_MediaStoredEventDataRequired = TypedDict(
    "_MediaStoredEventDataRequired",
    {
        "media": "ReceivedMedia",
        "inbound_id": "int",
        "message_id": "int",
        "from": "Optional[str]",
        "to": "str",
        "contact": "Contact",
    },
)


class MediaStoredEventData(_MediaStoredEventDataRequired):
    """MediaStoredEventData"""


_MediaStoredEventRequired = TypedDict(
    "_MediaStoredEventRequired",
    {
        "id": "str",
        "type": "Literal['media.stored']",
        "created_at": "str",
        "data": "MediaStoredEventData",
    },
)


class MediaStoredEvent(_MediaStoredEventRequired):
    """The file of a received message was fetched from WhatsApp. `media.url` needs no key and works for 7
    days; later, `GET /media/{id}` with a key gives the file. `inbound_id` is `message.id` of
    `message.received` (`message_id` is its former name); `GET /inbounds/{id}` gives that message.
    """


Message = Union["TemplateMessage", "TextMessage", "MediaMessage", "LocationMessage", "ContactsMessage", "InteractiveMessage", "ReactionMessage"]

_MessageCancelledEventDataRequired = TypedDict(
    "_MessageCancelledEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageCancelledEventData(_MessageCancelledEventDataRequired):
    """MessageCancelledEventData"""


_MessageCancelledEventRequired = TypedDict(
    "_MessageCancelledEventRequired",
    {
        "id": "str",
        "type": "Literal['message.cancelled']",
        "created_at": "str",
        "data": "MessageCancelledEventData",
    },
)


class MessageCancelledEvent(_MessageCancelledEventRequired):
    """A program or a user cancelled a scheduled message, or the person wrote first and it had
    `cancel_on_reply`. Sent only to addresses that asked for it (`waxwing webhook set --types`).
    """


_MessageDeliveredEventDataRequired = TypedDict(
    "_MessageDeliveredEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageDeliveredEventData(_MessageDeliveredEventDataRequired):
    """MessageDeliveredEventData"""


_MessageDeliveredEventRequired = TypedDict(
    "_MessageDeliveredEventRequired",
    {
        "id": "str",
        "type": "Literal['message.delivered']",
        "created_at": "str",
        "data": "MessageDeliveredEventData",
    },
)


class MessageDeliveredEvent(_MessageDeliveredEventRequired):
    """A message sent through the API was delivered to the recipient's phone. If its `charged` is true, it
    is charged now.
    """


_MessageErrorRequired = TypedDict(
    "_MessageErrorRequired",
    {
        "message": "str",
        "whatsapp_code": "str",
    },
)


class MessageError(_MessageErrorRequired):
    """Why a message failed."""


_MessageFailedEventDataRequired = TypedDict(
    "_MessageFailedEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageFailedEventData(_MessageFailedEventDataRequired):
    """MessageFailedEventData"""


_MessageFailedEventRequired = TypedDict(
    "_MessageFailedEventRequired",
    {
        "id": "str",
        "type": "Literal['message.failed']",
        "created_at": "str",
        "data": "MessageFailedEventData",
    },
)


class MessageFailedEvent(_MessageFailedEventRequired):
    """A message sent through the API failed; `error` gives the reason. This event often arrives minutes
    after `message.sent`, because the network reports most failures late. In rare cases the message is
    delivered after all: `message.sent` or a later event then follows.
    """


_MessageReadEventDataRequired = TypedDict(
    "_MessageReadEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageReadEventData(_MessageReadEventDataRequired):
    """MessageReadEventData"""


_MessageReadEventRequired = TypedDict(
    "_MessageReadEventRequired",
    {
        "id": "str",
        "type": "Literal['message.read']",
        "created_at": "str",
        "data": "MessageReadEventData",
    },
)


class MessageReadEvent(_MessageReadEventRequired):
    """The recipient read a message sent through the API. Recipients can turn off read receipts."""


_MessageReceivedEventDataRequired = TypedDict(
    "_MessageReceivedEventDataRequired",
    {
        "message": "InboundMessage",
        "contact": "Contact",
    },
)
_MessageReceivedEventDataOptional = TypedDict(
    "_MessageReceivedEventDataOptional",
    {
        "texts": "List[str]",
        "messages": "List['InboundMessage']",
    },
    total=False,
)


class MessageReceivedEventData(_MessageReceivedEventDataRequired, _MessageReceivedEventDataOptional):
    """MessageReceivedEventData"""


_MessageReceivedEventRequired = TypedDict(
    "_MessageReceivedEventRequired",
    {
        "id": "str",
        "type": "Literal['message.received']",
        "created_at": "str",
        "data": "MessageReceivedEventData",
    },
)


class MessageReceivedEvent(_MessageReceivedEventRequired):
    """A person sent a message to one of the workspace's numbers. For 24 hours from `received_at`, you can
    send them free-form text.
    """


MessageReference = Union["ReceivedReference", "SentReference"]

_MessageScheduledEventDataRequired = TypedDict(
    "_MessageScheduledEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageScheduledEventData(_MessageScheduledEventDataRequired):
    """MessageScheduledEventData"""


_MessageScheduledEventRequired = TypedDict(
    "_MessageScheduledEventRequired",
    {
        "id": "str",
        "type": "Literal['message.scheduled']",
        "created_at": "str",
        "data": "MessageScheduledEventData",
    },
)


class MessageScheduledEvent(_MessageScheduledEventRequired):
    """A message with `send_at` was accepted through the API. Sent only to addresses that asked for it
    (`waxwing webhook set --types`).
    """


_MessageSentEventDataRequired = TypedDict(
    "_MessageSentEventDataRequired",
    {
        "message": "Message",
    },
)


class MessageSentEventData(_MessageSentEventDataRequired):
    """MessageSentEventData"""


_MessageSentEventRequired = TypedDict(
    "_MessageSentEventRequired",
    {
        "id": "str",
        "type": "Literal['message.sent']",
        "created_at": "str",
        "data": "MessageSentEventData",
    },
)


class MessageSentEvent(_MessageSentEventRequired):
    """The network accepted a message sent through the API. The message can still fail."""


_MessageTemplateRequired = TypedDict(
    "_MessageTemplateRequired",
    {
        "name": "str",
        "language": "str",
    },
)


class MessageTemplate(_MessageTemplateRequired):
    """A template, identified by name and language."""


_NamedBroadcastVariablesOptional = TypedDict(
    "_NamedBroadcastVariablesOptional",
    {
        "header": "Dict[str, Union[Union[str, float], 'ContactFieldValue']]",
        "body": "Dict[str, Union[Union[str, float], 'ContactFieldValue']]",
        "buttons": "List[Union[Optional[Union[str, float]], 'ContactFieldValue']]",
    },
    total=False,
)


class NamedBroadcastVariables(_NamedBroadcastVariablesOptional):
    """Values of named placeholders, by name."""


_NamedMessageOptional = TypedDict(
    "_NamedMessageOptional",
    {
        "inbound": "int",
        "message": "int",
    },
    total=False,
)


class NamedMessage(_NamedMessageOptional):
    """A message: `inbound` is the `id` of `message.received`, `message` the id of one that was sent. One
    of them is there.
    """


_NamedVariablesOptional = TypedDict(
    "_NamedVariablesOptional",
    {
        "header": "Dict[str, Union[str, float]]",
        "body": "Dict[str, Union[str, float]]",
        "buttons": "List[Optional[Union[str, float]]]",
    },
    total=False,
)


class NamedVariables(_NamedVariablesOptional):
    """Values of named placeholders, by name."""


_NetworkChangeTemplatePartsRequired = TypedDict(
    "_NetworkChangeTemplatePartsRequired",
    {
        "name": "str",
        "language": "str",
    },
)


class NetworkChangeTemplateParts(_NetworkChangeTemplatePartsRequired):
    """NetworkChangeTemplateParts"""


_NetworkChangeRequired = TypedDict(
    "_NetworkChangeRequired",
    {
        "id": "int",
        "at": "str",
        "number": "Optional[str]",
        "template": "Union['NetworkChangeTemplateParts', None]",
        "property": "Literal['quality', 'limit', 'status', 'restriction', 'category']",
        "from": "Optional[str]",
        "to": "Optional[str]",
        "meaning": "str",
    },
)


class NetworkChange(_NetworkChangeRequired):
    """A change that the network made to a number or a template."""


_NetworkLimitRequired = TypedDict(
    "_NetworkLimitRequired",
    {
        "limit": "int",
        "used": "int",
        "today": "int",
    },
)


class NetworkLimit(_NetworkLimitRequired):
    """Meta's messaging limit: different people in 24 hours who are sent templates without having written
    in the last 24 hours. An estimate: messages that other software sends are not known here.
    """


_NetworkUsageCategoriesItemRequired = TypedDict(
    "_NetworkUsageCategoriesItemRequired",
    {
        "category": "str",
        "type": "str",
        "billable": "bool",
        "messages": "int",
    },
)


class NetworkUsageCategoriesItem(_NetworkUsageCategoriesItemRequired):
    """NetworkUsageCategoriesItem"""


_NetworkUsageCountriesItemRequired = TypedDict(
    "_NetworkUsageCountriesItemRequired",
    {
        "country": "Optional[str]",
        "category": "str",
        "billable": "bool",
        "messages": "int",
    },
)


class NetworkUsageCountriesItem(_NetworkUsageCountriesItemRequired):
    """NetworkUsageCountriesItem"""


_NetworkUsageServiceItemRequired = TypedDict(
    "_NetworkUsageServiceItemRequired",
    {
        "number": "str",
        "messages": "int",
        "allowance": "Optional[int]",
    },
)


class NetworkUsageServiceItem(_NetworkUsageServiceItemRequired):
    """NetworkUsageServiceItem"""


_NetworkUsageRequired = TypedDict(
    "_NetworkUsageRequired",
    {
        "month": "str",
        "messages": "int",
        "billable": "int",
        "categories": "List['NetworkUsageCategoriesItem']",
        "countries": "List['NetworkUsageCountriesItem']",
        "service": "List['NetworkUsageServiceItem']",
    },
)


class NetworkUsage(_NetworkUsageRequired):
    """What Meta bills to the account that owns the numbers: delivered messages by category. Meta names no
    amounts. The balance of the workspace is something else.
    """


_NewWebhookRequired = TypedDict(
    "_NewWebhookRequired",
    {
        "id": "int",
        "url": "str",
        "types": "List[Literal['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.scheduled', 'message.cancelled', 'message.received', 'media.stored', 'media.failed', 'contact.opted_out', 'contact.opted_in', 'contact.may_want_to_stop', 'contact.updated', 'conversation.updated', 'contact.erased', 'broadcast.paused', 'broadcast.resumed', 'broadcast.blocked', 'broadcast.finished', 'template.approved', 'template.rejected', 'template.updated', 'webhook.test']]",
        "state": "Literal['active', 'disabled']",
        "group_bursts": "Optional[str]",
        "old_secret_until": "Optional[str]",
        "updated_at": "str",
        "secret": "str",
    },
)


class NewWebhook(_NewWebhookRequired):
    """An address that was just added, with its secret."""


_SendingNumberRequired = TypedDict(
    "_SendingNumberRequired",
    {
        "phone": "str",
        "name": "str",
        "ready": "bool",
    },
)


class SendingNumber(_SendingNumberRequired):
    """A phone number that the workspace sends from."""


_OptOutRequired = TypedDict(
    "_OptOutRequired",
    {
        "phone": "Optional[str]",
        "opted_out_at": "str",
        "source": "Literal['inbound_message', 'manual', 'bulk', 'import', 'api']",
    },
)
_OptOutOptional = TypedDict(
    "_OptOutOptional",
    {
        "user_id": "Optional[str]",
    },
    total=False,
)


class OptOut(_OptOutRequired, _OptOutOptional):
    """A person who is currently opted out."""


_OrderAmountRequired = TypedDict(
    "_OrderAmountRequired",
    {
        "value": "int",
        "offset": "int",
    },
)


class OrderAmount(_OrderAmountRequired):
    """An amount as WhatsApp has it: `value` divided by `offset`."""


_OrderDetailsRequired = TypedDict(
    "_OrderDetailsRequired",
    {
        "reference_id": "str",
        "type": "Literal['digital-goods', 'physical-goods']",
        "currency": "str",
        "total_amount": "OrderAmount",
    },
)


class OrderDetails(_OrderDetailsRequired):
    """An order to pay, in WhatsApp's own form, for an account that has payments (India, Brazil). Further
    members, such as `order` and `payment_settings`, are passed on as they are.
    """


_PageRequired = TypedDict(
    "_PageRequired",
    {
        "page": "int",
        "per_page": "int",
        "total": "int",
        "has_more": "bool",
        "next": "Optional[str]",
    },
)
_PageOptional = TypedDict(
    "_PageOptional",
    {
        "pending": "int",
    },
    total=False,
)


class Page(_PageRequired, _PageOptional):
    """The position of a page in its list."""


_ParameterOrderRequired = TypedDict(
    "_ParameterOrderRequired",
    {
        "header": "List[str]",
        "body": "List[str]",
    },
)


class ParameterOrder(_ParameterOrderRequired):
    """The names of a template's placeholders, in order."""


_PersonInputRequired = TypedDict(
    "_PersonInputRequired",
    {
        "name": "str",
    },
)
_PersonInputOptional = TypedDict(
    "_PersonInputOptional",
    {
        "first_name": "Optional[str]",
        "birthday": "Optional[str]",
        "ref": "Optional[str]",
    },
    total=False,
)


class PersonInput(_PersonInputRequired, _PersonInputOptional):
    """A person who also uses the contact's number."""


_PersonOnNumberRequired = TypedDict(
    "_PersonOnNumberRequired",
    {
        "name": "str",
        "first_name": "Optional[str]",
        "birthday": "Optional[str]",
        "ref": "Optional[str]",
    },
)


class PersonOnNumber(_PersonOnNumberRequired):
    """Another person who uses the contact's phone number."""


_PreviewCostRequired = TypedDict(
    "_PreviewCostRequired",
    {
        "currency": "str",
        "rate": "str",
        "amount": "str",
        "available": "str",
        "available_after": "str",
        "covered": "bool",
    },
)


class PreviewCost(_PreviewCostRequired):
    """The cost of a broadcast."""


_PreviewSkipRequired = TypedDict(
    "_PreviewSkipRequired",
    {
        "to": "str",
        "reason": "Literal['opted_out', 'invalid_number', 'duplicate', 'no_opt_in', 'missing_variable', 'daily_cap', 'may_want_to_stop']",
    },
)
_PreviewSkipOptional = TypedDict(
    "_PreviewSkipOptional",
    {
        "since": "str",
    },
    total=False,
)


class PreviewSkip(_PreviewSkipRequired, _PreviewSkipOptional):
    """A recipient that a broadcast would skip."""


_ProductSectionRequired = TypedDict(
    "_ProductSectionRequired",
    {
        "items": "List[str]",
    },
)
_ProductSectionOptional = TypedDict(
    "_ProductSectionOptional",
    {
        "title": "str",
    },
    total=False,
)


class ProductSection(_ProductSectionRequired, _ProductSectionOptional):
    """Products under a common title."""


_ReactionRequired = TypedDict(
    "_ReactionRequired",
    {
        "emoji": "str",
        "to": "MessageReference",
    },
)


class Reaction(_ReactionRequired):
    """A reaction to a message. It replaces an earlier one."""


_ReactionContentReactionRequired = TypedDict(
    "_ReactionContentReactionRequired",
    {
        "emoji": "str",
        "to": "NamedMessage",
    },
)


class ReactionContentReaction(_ReactionContentReactionRequired):
    """ReactionContentReaction"""


_ReactionContentRequired = TypedDict(
    "_ReactionContentRequired",
    {
        "reaction": "ReactionContentReaction",
    },
)


class ReactionContent(_ReactionContentRequired):
    """The reaction that was sent."""


_ReactionMessageRequired = TypedDict(
    "_ReactionMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['reaction']",
        "category": "None",
        "template": "None",
        "content": "Union['ReactionContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "Literal[False]",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class ReactionMessage(_ReactionMessageRequired):
    """A reaction that was sent to one person. WhatsApp reports neither its delivery nor that it was read."""


_ReceivedMediaRequired = TypedDict(
    "_ReceivedMediaRequired",
    {
        "id": "Optional[int]",
        "mime_type": "Optional[str]",
        "bytes": "Optional[int]",
        "sha256": "Optional[str]",
        "filename": "Optional[str]",
        "url": "Optional[str]",
        "expires_at": "Optional[str]",
        "state": "Literal['pending', 'stored', 'failed', 'expired', 'erased']",
    },
)
_ReceivedMediaOptional = TypedDict(
    "_ReceivedMediaOptional",
    {
        "voice": "bool",
        "animated": "bool",
    },
    total=False,
)


class ReceivedMedia(_ReceivedMediaRequired, _ReceivedMediaOptional):
    """A picture, video, voice message, sticker or document that a person sent."""


_ReceivedReferenceRequired = TypedDict(
    "_ReceivedReferenceRequired",
    {
        "inbound": "int",
    },
)


class ReceivedReference(_ReceivedReferenceRequired):
    """A message that the person sent."""


_RecipientRequired = TypedDict(
    "_RecipientRequired",
    {
        "to": "str",
        "message_id": "int",
        "status": "Literal['pending', 'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped']",
        "reason": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class Recipient(_RecipientRequired):
    """A recipient of a broadcast."""


_RemovedWebhookRequired = TypedDict(
    "_RemovedWebhookRequired",
    {
        "id": "int",
        "exhausted": "int",
    },
)


class RemovedWebhook(_RemovedWebhookRequired):
    """An address that was just removed."""


_ReplyButtonRequired = TypedDict(
    "_ReplyButtonRequired",
    {
        "id": "str",
        "title": "str",
    },
)


class ReplyButton(_ReplyButtonRequired):
    """A button; pressing it is an answer."""


_RotateSecretOptional = TypedDict(
    "_RotateSecretOptional",
    {
        "overlap": "str",
    },
    total=False,
)


class RotateSecret(_RotateSecretOptional):
    """RotateSecret"""


_RotatedSecretRequired = TypedDict(
    "_RotatedSecretRequired",
    {
        "id": "int",
        "secret": "str",
        "old_secret_until": "Optional[str]",
    },
)


class RotatedSecret(_RotatedSecretRequired):
    """The new secret of an address."""


_SearchHitContactRequired = TypedDict(
    "_SearchHitContactRequired",
    {
        "phone": "Optional[str]",
        "user_id": "Optional[str]",
        "username": "Optional[str]",
        "name": "Optional[str]",
    },
)


class SearchHitContact(_SearchHitContactRequired):
    """SearchHitContact"""


_SearchHitSnippetItemRequired = TypedDict(
    "_SearchHitSnippetItemRequired",
    {
        "text": "str",
        "match": "bool",
    },
)


class SearchHitSnippetItem(_SearchHitSnippetItemRequired):
    """SearchHitSnippetItem"""


_SearchHitRequired = TypedDict(
    "_SearchHitRequired",
    {
        "kind": "Literal['message', 'contact', 'note']",
        "id": "Optional[int]",
        "direction": "Optional[Literal['in', 'out']]",
        "conversation": "Optional[int]",
        "contact": "SearchHitContact",
        "number": "Optional[str]",
        "at": "str",
        "file": "Optional[str]",
        "snippet": "List['SearchHitSnippetItem']",
    },
)


class SearchHit(_SearchHitRequired):
    """A person, a message or a note that was found."""


_SendContactsRequired = TypedDict(
    "_SendContactsRequired",
    {
        "to": "str",
        "contacts": "List['ContactCard']",
    },
)
_SendContactsOptional = TypedDict(
    "_SendContactsOptional",
    {
        "reply_to": "MessageReference",
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendContacts(_SendContactsRequired, _SendContactsOptional):
    """Sends contact cards, within 24 hours of the recipient's last message."""


_SendInteractiveRequired = TypedDict(
    "_SendInteractiveRequired",
    {
        "to": "str",
        "interactive": "Interactive",
    },
)
_SendInteractiveOptional = TypedDict(
    "_SendInteractiveOptional",
    {
        "reply_to": "MessageReference",
        "category": "Literal['utility']",
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendInteractive(_SendInteractiveRequired, _SendInteractiveOptional):
    """Sends a text with buttons, a list, a link, or a request for a location, an address or a form, within
    24 hours of the recipient's last message.
    """


_SendLocationRequired = TypedDict(
    "_SendLocationRequired",
    {
        "to": "str",
        "location": "Location",
    },
)
_SendLocationOptional = TypedDict(
    "_SendLocationOptional",
    {
        "reply_to": "MessageReference",
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendLocation(_SendLocationRequired, _SendLocationOptional):
    """Sends a place on the map, within 24 hours of the recipient's last message."""


_SendMediaRequired = TypedDict(
    "_SendMediaRequired",
    {
        "to": "str",
        "media": "SentMedia",
    },
)
_SendMediaOptional = TypedDict(
    "_SendMediaOptional",
    {
        "reply_to": "MessageReference",
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendMedia(_SendMediaRequired, _SendMediaOptional):
    """Sends an image, a video, audio, a document or a sticker, within 24 hours of the recipient's last
    message.
    """


SendMessage = Union["SendTemplate", "SendText", "SendMedia", "SendLocation", "SendContacts", "SendInteractive", "SendReaction"]

_SendReactionRequired = TypedDict(
    "_SendReactionRequired",
    {
        "to": "str",
        "reaction": "Reaction",
    },
)
_SendReactionOptional = TypedDict(
    "_SendReactionOptional",
    {
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendReaction(_SendReactionRequired, _SendReactionOptional):
    """Reacts to a message, within 24 hours of the recipient's last message."""


_SendTemplateRequired = TypedDict(
    "_SendTemplateRequired",
    {
        "to": "str",
        "template": "str",
    },
)
_SendTemplateOptional = TypedDict(
    "_SendTemplateOptional",
    {
        "language": "str",
        "variables": "Variables",
        "media": "HeaderMedia",
        "location": "Location",
        "offer_expires_at": "str",
        "cards": "List['TemplateCard']",
        "products": "TemplateProducts",
        "order_details": "OrderDetails",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendTemplate(_SendTemplateRequired, _SendTemplateOptional):
    """Sends an approved template. Templates can be sent at any time."""


_SendTextRequired = TypedDict(
    "_SendTextRequired",
    {
        "to": "str",
        "text": "str",
    },
)
_SendTextOptional = TypedDict(
    "_SendTextOptional",
    {
        "preview_url": "bool",
        "reply_to": "MessageReference",
        "category": "Literal['utility']",
        "take": "bool",
        "from": "str",
        "reference": "str",
        "send_at": "str",
        "cancel_on_reply": "bool",
    },
    total=False,
)


class SendText(_SendTextRequired, _SendTextOptional):
    """Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message."""


_SentByRequired = TypedDict(
    "_SentByRequired",
    {
        "kind": "Literal['api', 'console', 'agent', 'automation']",
        "name": "Optional[str]",
        "ai": "bool",
    },
)


class SentBy(_SentByRequired):
    """Who sent the message."""


_SentFileHeaderRequired = TypedDict(
    "_SentFileHeaderRequired",
    {
        "type": "Literal['image', 'video', 'document']",
    },
)
_SentFileHeaderOptional = TypedDict(
    "_SentFileHeaderOptional",
    {
        "filename": "str",
        "id": "int",
    },
    total=False,
)


class SentFileHeader(_SentFileHeaderRequired, _SentFileHeaderOptional):
    """The file at the top, without its link."""


SentMedia = Union["SentMediaByLink", "SentMediaById"]

_SentMediaByIdRequired = TypedDict(
    "_SentMediaByIdRequired",
    {
        "id": "int",
    },
)
_SentMediaByIdOptional = TypedDict(
    "_SentMediaByIdOptional",
    {
        "type": "Literal['image', 'video', 'audio', 'document', 'sticker']",
        "caption": "str",
        "filename": "str",
        "voice": "bool",
    },
    total=False,
)


class SentMediaById(_SentMediaByIdRequired, _SentMediaByIdOptional):
    """A file: by a link, which is not stored, or by the id of an upload."""


_SentMediaByLinkRequired = TypedDict(
    "_SentMediaByLinkRequired",
    {
        "link": "str",
    },
)
_SentMediaByLinkOptional = TypedDict(
    "_SentMediaByLinkOptional",
    {
        "type": "Literal['image', 'video', 'audio', 'document', 'sticker']",
        "caption": "str",
        "filename": "str",
        "voice": "bool",
    },
    total=False,
)


class SentMediaByLink(_SentMediaByLinkRequired, _SentMediaByLinkOptional):
    """A file: by a link, which is not stored, or by the id of an upload."""


_SentReferenceRequired = TypedDict(
    "_SentReferenceRequired",
    {
        "message": "int",
    },
)


class SentReference(_SentReferenceRequired):
    """A message that was sent to the person."""


_SkipRequired = TypedDict(
    "_SkipRequired",
    {
        "to": "str",
        "reason": "Literal['opted_out', 'invalid_number', 'duplicate', 'no_opt_in', 'missing_variable', 'daily_cap']",
    },
)
_SkipOptional = TypedDict(
    "_SkipOptional",
    {
        "since": "str",
    },
    total=False,
)


class Skip(_SkipRequired, _SkipOptional):
    """A recipient that a broadcast skips."""


_SkipCountsRequired = TypedDict(
    "_SkipCountsRequired",
    {
        "opted_out": "int",
        "may_want_to_stop": "int",
        "invalid_number": "int",
        "duplicate": "int",
        "no_opt_in": "int",
        "missing_variable": "int",
        "daily_cap": "int",
    },
)


class SkipCounts(_SkipCountsRequired):
    """Number of recipients that would be skipped, by reason."""


_SubmitTemplateSampleMediaOptional = TypedDict(
    "_SubmitTemplateSampleMediaOptional",
    {
        "header": "int",
        "cards": "List[int]",
    },
    total=False,
)


class SubmitTemplateSampleMedia(_SubmitTemplateSampleMediaOptional):
    """Files of `POST /media` that are given to WhatsApp as samples."""


_SubmitTemplateComponentsItemRequired = TypedDict(
    "_SubmitTemplateComponentsItemRequired",
    {
        "type": "str",
    },
)


class SubmitTemplateComponentsItem(_SubmitTemplateComponentsItemRequired):
    """SubmitTemplateComponentsItem"""


_SubmitTemplateLibraryButtonsItemRequired = TypedDict(
    "_SubmitTemplateLibraryButtonsItemRequired",
    {
        "type": "str",
    },
)


class SubmitTemplateLibraryButtonsItem(_SubmitTemplateLibraryButtonsItemRequired):
    """SubmitTemplateLibraryButtonsItem"""


_SubmitTemplateLibraryBodyOptional = TypedDict(
    "_SubmitTemplateLibraryBodyOptional",
    {
        "add_contact_number": "bool",
        "add_learn_more_link": "bool",
        "add_security_recommendation": "bool",
        "add_track_package_link": "bool",
        "code_expiration_minutes": "int",
    },
    total=False,
)


class SubmitTemplateLibraryBody(_SubmitTemplateLibraryBodyOptional):
    """What WhatsApp adds to the body, where the template takes it."""


_SubmitTemplateLibraryRequired = TypedDict(
    "_SubmitTemplateLibraryRequired",
    {
        "name": "str",
    },
)
_SubmitTemplateLibraryOptional = TypedDict(
    "_SubmitTemplateLibraryOptional",
    {
        "buttons": "List['SubmitTemplateLibraryButtonsItem']",
        "body": "SubmitTemplateLibraryBody",
    },
    total=False,
)


class SubmitTemplateLibrary(_SubmitTemplateLibraryRequired, _SubmitTemplateLibraryOptional):
    """Makes the template of one of WhatsApp's library (`GET /templates/library`), in its language and
    category. `components`, `parameter_format`, `message_send_ttl_seconds` and `sample_media` are
    omitted then: the library has the words, which are reviewed already.
    """


_SubmitTemplateRequired = TypedDict(
    "_SubmitTemplateRequired",
    {
        "name": "str",
        "language": "str",
        "category": "Literal['MARKETING', 'UTILITY', 'AUTHENTICATION']",
    },
)
_SubmitTemplateOptional = TypedDict(
    "_SubmitTemplateOptional",
    {
        "parameter_format": "Literal['POSITIONAL', 'NAMED']",
        "message_send_ttl_seconds": "int",
        "from": "str",
        "sample_media": "SubmitTemplateSampleMedia",
        "components": "List['SubmitTemplateComponentsItem']",
        "library": "SubmitTemplateLibrary",
    },
    total=False,
)


class SubmitTemplate(_SubmitTemplateRequired, _SubmitTemplateOptional):
    """A template as WhatsApp takes it."""


_TemplateVariablesRequired = TypedDict(
    "_TemplateVariablesRequired",
    {
        "header": "int",
        "body": "int",
    },
)


class TemplateVariables(_TemplateVariablesRequired):
    """TemplateVariables"""


_TemplateParameterNamesRequired = TypedDict(
    "_TemplateParameterNamesRequired",
    {
        "header": "List[str]",
        "body": "List[str]",
    },
)


class TemplateParameterNames(_TemplateParameterNamesRequired):
    """The names of named placeholders, in the order of the text, for values by name in `variables`. Both
    lists are empty if the placeholders are numbered.
    """


_TemplateComponentsItemRequired = TypedDict(
    "_TemplateComponentsItemRequired",
    {
        "type": "str",
    },
)


class TemplateComponentsItem(_TemplateComponentsItemRequired):
    """TemplateComponentsItem"""


_TemplateRejectionPartsRequired = TypedDict(
    "_TemplateRejectionPartsRequired",
    {
        "reason": "str",
        "advice": "str",
    },
)


class TemplateRejectionParts(_TemplateRejectionPartsRequired):
    """TemplateRejectionParts"""


_TemplateRequired = TypedDict(
    "_TemplateRequired",
    {
        "name": "str",
        "language": "str",
        "category": "Literal['MARKETING', 'UTILITY', 'AUTHENTICATION']",
        "status": "Literal['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED']",
        "sendable": "bool",
        "needs": "List[Literal['variables.buttons', 'location', 'offer_expires_at', 'cards', 'products', 'order_details']]",
        "variables": "TemplateVariables",
        "parameter_names": "TemplateParameterNames",
        "parameter_order": "Union['ParameterOrder', None]",
        "text": "str",
        "media": "Union['TemplateMedia', None]",
        "components": "List['TemplateComponentsItem']",
        "rejection": "Union['TemplateRejectionParts', None]",
        "warnings": "List[str]",
    },
)


class Template(_TemplateRequired):
    """A message template, which the network has to approve before it can be sent."""


_TemplateApprovedEventDataRequired = TypedDict(
    "_TemplateApprovedEventDataRequired",
    {
        "template": "Template",
        "reason": "Optional[str]",
    },
)


class TemplateApprovedEventData(_TemplateApprovedEventDataRequired):
    """TemplateApprovedEventData"""


_TemplateApprovedEventRequired = TypedDict(
    "_TemplateApprovedEventRequired",
    {
        "id": "str",
        "type": "Literal['template.approved']",
        "created_at": "str",
        "data": "TemplateApprovedEventData",
    },
)


class TemplateApprovedEvent(_TemplateApprovedEventRequired):
    """The network approved a template. It can be sent if `sendable` is true."""


_TemplateCardOptional = TypedDict(
    "_TemplateCardOptional",
    {
        "media": "CardMedia",
        "product": "str",
        "body": "Union[List[Union[str, float]], Dict[str, Union[str, float]]]",
        "buttons": "List[Optional[Union[str, float]]]",
    },
    total=False,
)


class TemplateCard(_TemplateCardOptional):
    """What a card of a carousel shows; which members it needs, the template says."""


_TemplateCheckProblemsItemRequired = TypedDict(
    "_TemplateCheckProblemsItemRequired",
    {
        "path": "str",
        "rule": "str",
        "message": "str",
    },
)


class TemplateCheckProblemsItem(_TemplateCheckProblemsItemRequired):
    """TemplateCheckProblemsItem"""


_TemplateCheckWarningsItemRequired = TypedDict(
    "_TemplateCheckWarningsItemRequired",
    {
        "path": "str",
        "rule": "str",
        "message": "str",
        "source": "str",
    },
)


class TemplateCheckWarningsItem(_TemplateCheckWarningsItemRequired):
    """TemplateCheckWarningsItem"""


_TemplateCheckRequired = TypedDict(
    "_TemplateCheckRequired",
    {
        "valid": "bool",
        "problems": "List['TemplateCheckProblemsItem']",
        "warnings": "List['TemplateCheckWarningsItem']",
    },
)


class TemplateCheck(_TemplateCheckRequired):
    """What is wrong with a template, and what WhatsApp may find in its review."""


_TemplateMediaRequired = TypedDict(
    "_TemplateMediaRequired",
    {
        "type": "Literal['image', 'video', 'document']",
        "default": "bool",
    },
)


class TemplateMedia(_TemplateMediaRequired):
    """The media header of a template."""


_TemplateMessageRequired = TypedDict(
    "_TemplateMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['template']",
        "category": "Optional[Literal['marketing', 'utility', 'authentication']]",
        "template": "MessageTemplate",
        "content": "None",
        "reply_to": "None",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "bool",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class TemplateMessage(_TemplateMessageRequired):
    """A template that was sent to one person."""


_TemplateProductsOptional = TypedDict(
    "_TemplateProductsOptional",
    {
        "catalog_id": "str",
        "thumbnail": "str",
        "sections": "List['ProductSection']",
    },
    total=False,
)


class TemplateProducts(_TemplateProductsOptional):
    """Products of a catalogue that is connected to the account."""


_TemplateRejectedEventDataRequired = TypedDict(
    "_TemplateRejectedEventDataRequired",
    {
        "template": "Template",
        "reason": "Optional[str]",
    },
)


class TemplateRejectedEventData(_TemplateRejectedEventDataRequired):
    """TemplateRejectedEventData"""


_TemplateRejectedEventRequired = TypedDict(
    "_TemplateRejectedEventRequired",
    {
        "id": "str",
        "type": "Literal['template.rejected']",
        "created_at": "str",
        "data": "TemplateRejectedEventData",
    },
)


class TemplateRejectedEvent(_TemplateRejectedEventRequired):
    """The network rejected a template. `reason` is the network's explanation."""


_TemplateUpdatedEventDataRequired = TypedDict(
    "_TemplateUpdatedEventDataRequired",
    {
        "template": "Template",
    },
)


class TemplateUpdatedEventData(_TemplateUpdatedEventDataRequired):
    """TemplateUpdatedEventData"""


_TemplateUpdatedEventRequired = TypedDict(
    "_TemplateUpdatedEventRequired",
    {
        "id": "str",
        "type": "Literal['template.updated']",
        "created_at": "str",
        "data": "TemplateUpdatedEventData",
    },
)


class TemplateUpdatedEvent(_TemplateUpdatedEventRequired):
    """A template was submitted, corrected or deleted through the API, WhatsApp decided on it, or its
    content or category changed at WhatsApp. Sent only to addresses that asked for it (`waxwing webhook
    set --types`).
    """


_TextContentRequired = TypedDict(
    "_TextContentRequired",
    {
        "text": "str",
    },
)
_TextContentOptional = TypedDict(
    "_TextContentOptional",
    {
        "preview_url": "bool",
    },
    total=False,
)


class TextContent(_TextContentRequired, _TextContentOptional):
    """The text that was sent."""


_TextMessageRequired = TypedDict(
    "_TextMessageRequired",
    {
        "id": "int",
        "to": "str",
        "from": "str",
        "reference": "Optional[str]",
        "sent_by": "SentBy",
        "type": "Literal['text']",
        "category": "Optional[Literal['utility']]",
        "template": "None",
        "content": "Union['TextContent', None]",
        "reply_to": "Union['NamedMessage', None]",
        "text": "str",
        "status": "Literal['scheduled', 'sent', 'delivered', 'read', 'failed', 'cancelled']",
        "error": "Union['MessageError', None]",
        "charged": "bool",
        "created_at": "str",
        "send_at": "Optional[str]",
        "sent_at": "Optional[str]",
        "delivered_at": "Optional[str]",
        "read_at": "Optional[str]",
    },
)


class TextMessage(_TextMessageRequired):
    """Free-form text that was sent to one person."""


_UploadedMediaRequired = TypedDict(
    "_UploadedMediaRequired",
    {
        "id": "int",
        "mime_type": "str",
        "bytes": "int",
        "sha256": "str",
        "filename": "Optional[str]",
        "created_at": "str",
        "expires_at": "Optional[str]",
    },
)


class UploadedMedia(_UploadedMediaRequired):
    """A file that was uploaded to be sent."""


_VariablesPartsOptional = TypedDict(
    "_VariablesPartsOptional",
    {
        "header": "List[Union[str, float]]",
        "body": "List[Union[str, float]]",
        "buttons": "List[Optional[Union[str, float]]]",
    },
    total=False,
)


class VariablesParts(_VariablesPartsOptional):
    """Separate values for the header, the body and the buttons."""


Variables = Union[List[Union[str, float]], "VariablesParts", "NamedVariables"]

_WebhookRequired = TypedDict(
    "_WebhookRequired",
    {
        "id": "int",
        "url": "str",
        "types": "List[Literal['message.sent', 'message.delivered', 'message.read', 'message.failed', 'message.scheduled', 'message.cancelled', 'message.received', 'media.stored', 'media.failed', 'contact.opted_out', 'contact.opted_in', 'contact.may_want_to_stop', 'contact.updated', 'conversation.updated', 'contact.erased', 'broadcast.paused', 'broadcast.resumed', 'broadcast.blocked', 'broadcast.finished', 'template.approved', 'template.rejected', 'template.updated', 'webhook.test']]",
        "state": "Literal['active', 'disabled']",
        "group_bursts": "Optional[str]",
        "old_secret_until": "Optional[str]",
        "updated_at": "str",
    },
)


class Webhook(_WebhookRequired):
    """An address that receives events."""


_WebhookTestEventRequired = TypedDict(
    "_WebhookTestEventRequired",
    {
        "id": "str",
        "type": "Literal['webhook.test']",
        "created_at": "str",
        "data": "Dict[str, Any]",
    },
)


class WebhookTestEvent(_WebhookTestEventRequired):
    """A test event was requested for this webhook. `data` is empty."""


_WorkspaceRequired = TypedDict(
    "_WorkspaceRequired",
    {
        "id": "int",
        "name": "str",
        "country": "str",
        "timezone": "str",
        "numbers": "List['SendingNumber']",
        "billing": "Union['Billing', None]",
    },
)


class Workspace(_WorkspaceRequired):
    """The workspace that the API key belongs to."""


_WorkspaceSettingsRequired = TypedDict(
    "_WorkspaceSettingsRequired",
    {
        "name": "str",
        "country": "str",
        "timezone": "str",
        "daily_cap": "Optional[int]",
        "stop_words": "List[str]",
        "start_words": "List[str]",
        "opening_hours": "str",
        "closed_days": "List[str]",
        "away_message": "str",
        "quiet": "str",
        "ai_notice": "str",
        "read_receipts": "str",
        "purpose": "str",
        "notice": "str",
        "message_retention": "str",
        "inbound_retention": "str",
        "media_retention": "str",
    },
)


class WorkspaceSettings(_WorkspaceSettingsRequired):
    """The settings of a workspace."""




class Operations:
    """The calls of the API."""

    _core: Core

    def get_workspace(
        self,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Workspace:
        """Retrieve the workspace. Returns the workspace that the API key belongs to, with its sending numbers
        and its balance. Use it to check that a key works. Every key may do this.
        """
        return self._core.one(
            "GET",
            "/me",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_usage(
        self,
        *,
        month: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> NetworkUsage:
        """Retrieve what Meta bills. Returns how many messages Meta delivered in a month, by the category that
        Meta bills. Meta bills the owner of the WhatsApp account; the workspace's own balance is in `GET
        /me`. Needs a key with the scope `read`.
        """
        return self._core.one(
            "GET",
            "/usage",
            query={"month": month},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def send_message(
        self,
        body: SendMessage,
        *,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Message:
        """Send a message. Sends a template (at any time), or free-form text, a file, a place, contact cards, a
        text with buttons, a list or a link, or a reaction (within 24 hours of the recipient's last message;
        a text, and one with buttons or a link, at any time with a `category`). The message is sent to the
        network before the response is returned, so the response says whether the network accepted it. Later
        status changes are reported by events and by `GET /messages/{id}`. With `send_at` the message is
        stored and sent at that time: everything but the 24 hours, the balance, the daily cap and the
        number's readiness is evaluated now, and everything again when it is due. Where the workspace has an
        AI notice, the first message of a key that is marked as an AI's in a window begins with it: lengths
        count with it, and a message without words waits for a text. Needs a key with the scope `send`.
        """
        return self._core.one(
            "POST",
            "/messages",
            body=body,
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_messages(
        self,
        *,
        reference: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        to: Optional[str] = None,
        status: Optional[Literal["scheduled", "sent", "delivered", "read", "failed", "cancelled"]] = None,
        since: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List messages. Returns messages that were sent one at a time through the API, newest first; not
        recipients of broadcasts, and not replies from the console. Filters can be combined. A message is
        listed once the network has answered, a scheduled one from its creation. Filtered by `reference` or
        `idempotency_key`, `meta.pending` counts accepted messages that are not listed yet: only `total` 0
        and `pending` 0 mean that no such message was accepted. Needs a key with the scope `read`.
        """
        return self._core.list(
            "GET",
            "/messages",
            query={"reference": reference, "idempotency_key": idempotency_key, "to": to, "status": status, "since": since, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_messages(
        self,
        *,
        reference: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        to: Optional[str] = None,
        status: Optional[Literal["scheduled", "sent", "delivered", "read", "failed", "cancelled"]] = None,
        since: Optional[str] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Message]:
        """All entries of `list_messages`, page after page."""
        return self._core.iterate(
            "GET",
            "/messages",
            query={"reference": reference, "idempotency_key": idempotency_key, "to": to, "status": status, "since": since, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def cancel_message(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Message:
        """Cancel a scheduled message. Cancels a message that was accepted with `send_at` and is not sent yet.
        Cancelling it again returns the same message. A message that is being sent, was sent or has failed
        cannot be cancelled. Needs a key with the scope `send`.
        """
        return self._core.one(
            "POST",
            f"/messages/{self._core.quote(id)}/cancel",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_message(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Message:
        """Retrieve a message. Returns a message that was sent through the API, with its current status. Needs
        a key with the scope `read`.
        """
        return self._core.one(
            "GET",
            f"/messages/{self._core.quote(id)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def create_broadcast(
        self,
        body: CreateBroadcast,
        *,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> CreatedBroadcast:
        """Create a broadcast. Sends a template to a list of phone numbers or to a group. The response is
        returned before any message is sent; it lists the numbers in `to` that are skipped, and why. To see
        recipients that are skipped later, list the recipients. Everyone in `to` who has not opted out is
        recorded as opted in. In a group, only contacts who have opted in receive the message. A single
        `broadcast.finished` event follows when the counts are final. Needs a key with the scope
        `broadcast`.
        """
        return self._core.one(
            "POST",
            "/broadcasts",
            body=body,
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_broadcasts(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List broadcasts. Returns all broadcasts of the workspace, newest first. Needs a key with the scope
        `read`.
        """
        return self._core.list(
            "GET",
            "/broadcasts",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_broadcasts(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Broadcast]:
        """All entries of `list_broadcasts`, page after page."""
        return self._core.iterate(
            "GET",
            "/broadcasts",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def preview_broadcast(
        self,
        body: CreateBroadcast,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> BroadcastPreview:
        """Preview a broadcast. Takes the same body as `POST /broadcasts` and returns what the broadcast would
        do: how many people would receive it, who would be skipped, what it would cost and when it would
        end. Nothing is sent or stored, and no consent is recorded. Needs a key with the scope `broadcast`.
        """
        return self._core.one(
            "POST",
            "/broadcasts/preview",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_broadcast(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Broadcast:
        """Retrieve a broadcast. Returns a broadcast with its current counts. Needs a key with the scope
        `read`.
        """
        return self._core.one(
            "GET",
            f"/broadcasts/{self._core.quote(id)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_recipients(
        self,
        id: int,
        *,
        status: Optional[Literal["pending", "sent", "delivered", "read", "failed", "skipped"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List a broadcast's recipients. Returns the recipients of a broadcast in sending order, each with its
        status, including skipped recipients. Recipients are deleted 18 months after the broadcast has
        finished; the broadcast and its counts are kept. Needs a key with the scope `read`.
        """
        return self._core.list(
            "GET",
            f"/broadcasts/{self._core.quote(id)}/recipients",
            query={"status": status, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_recipients(
        self,
        id: int,
        *,
        status: Optional[Literal["pending", "sent", "delivered", "read", "failed", "skipped"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Recipient]:
        """All entries of `list_recipients`, page after page."""
        return self._core.iterate(
            "GET",
            f"/broadcasts/{self._core.quote(id)}/recipients",
            query={"status": status, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def cancel_broadcast(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Broadcast:
        """Cancel a broadcast. Stops a broadcast: no more messages are sent. Messages already sent to the
        network are not recalled, and are charged if they are delivered. The part of the balance that was
        held for unsent messages is released immediately. Needs a key with the scope `broadcast`.
        """
        return self._core.one(
            "POST",
            f"/broadcasts/{self._core.quote(id)}/cancel",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_contacts(
        self,
        *,
        tag: Optional[str] = None,
        group: Optional[str] = None,
        consent: Optional[Literal["unknown", "opted_in", "opted_out"]] = None,
        country: Optional[str] = None,
        q: Optional[str] = None,
        filter: Optional[str] = None,
        updated_since: Optional[str] = None,
        sort: Optional[str] = None,
        identity: Optional[Literal["phone", "any"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List contacts. Returns contacts, most recently updated first. To sync contacts, set `updated_since`
        and follow `meta.next` until it is null: contacts that change in the meantime are returned again,
        and none is missed. Filters can be combined with each other and with `updated_since`. Needs a key
        with the scope `read` or `contacts`.
        """
        return self._core.list(
            "GET",
            "/contacts",
            query={"tag": tag, "group": group, "consent": consent, "country": country, "q": q, "filter": filter, "updated_since": updated_since, "sort": sort, "identity": identity, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_contacts(
        self,
        *,
        tag: Optional[str] = None,
        group: Optional[str] = None,
        consent: Optional[Literal["unknown", "opted_in", "opted_out"]] = None,
        country: Optional[str] = None,
        q: Optional[str] = None,
        filter: Optional[str] = None,
        updated_since: Optional[str] = None,
        sort: Optional[str] = None,
        identity: Optional[Literal["phone", "any"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Contact]:
        """All entries of `list_contacts`, page after page."""
        return self._core.iterate(
            "GET",
            "/contacts",
            query={"tag": tag, "group": group, "consent": consent, "country": country, "q": q, "filter": filter, "updated_since": updated_since, "sort": sort, "identity": identity, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def put_contacts(
        self,
        body: ContactsInput,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List["ContactResult"]:
        """Create or update many contacts. Creates or updates up to 500 contacts. Each is applied as `PUT
        /contacts/{phone}` applies it, in the order of the list, and a contact that is refused does not
        affect the others: the response is 200 with one result for each, in the same order. If the server
        cannot write all of them, it answers 503; repeat the whole request then. Needs a key with the scope
        `contacts`.
        """
        return self._core.one(
            "PUT",
            "/contacts",
            body=body,
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_contact(
        self,
        phone: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contact:
        """Retrieve a contact. Returns the contact with this phone number. For 30 days after a person moved to
        another number, the old number returns 404 with the new one in `error.moved_to`. Needs a key with
        the scope `read` or `contacts`.
        """
        return self._core.one(
            "GET",
            f"/contacts/{self._core.quote(phone)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def put_contact(
        self,
        phone: str,
        body: ContactInput,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contact:
        """Create or update a contact. Creates or updates a contact. Fields that are not in the body keep their
        value. Returns 201 if the contact was created. Needs a key with the scope `contacts`.
        """
        return self._core.one(
            "PUT",
            f"/contacts/{self._core.quote(phone)}",
            body=body,
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_conversation(
        self,
        phone: str,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """Get the conversation with a contact. Returns what the person wrote and what was sent to them, newest
        first: by the API, in broadcasts, from the console, on the phone that shares the number, and by
        other senders on the number. Entries of the phone's history were never new: they are in no event.
        Follow `meta.next` for older entries. Needs a key with the scope `inbox`.
        """
        return self._core.list(
            "GET",
            f"/contacts/{self._core.quote(phone)}/conversation",
            query={"per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_conversation(
        self,
        phone: str,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[ConversationEntry]:
        """All entries of `get_conversation`, page after page."""
        return self._core.iterate(
            "GET",
            f"/contacts/{self._core.quote(phone)}/conversation",
            query={"per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def opt_out_contact(
        self,
        phone: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contact:
        """Opt out a contact. Records an opt-out that reached your own system. No messages are sent to the
        person until they send START. Also works for numbers that are not contacts yet, and in suspended
        workspaces. Needs a key with the scope `contacts`.
        """
        return self._core.one(
            "POST",
            f"/contacts/{self._core.quote(phone)}/opt-out",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_conversations(
        self,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        number: Optional[str] = None,
        state: Optional[Literal["open", "snoozed", "done"]] = None,
        assignee: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List conversations. Returns the conversations of the workspace, one for each person on each of its
        numbers, the latest writer first. A page may have fewer entries than asked for although more follow:
        read on while `meta.next` is not null. Needs a key with the scope `inbox`.
        """
        return self._core.list(
            "GET",
            "/conversations",
            query={"per_page": per_page, "after": after, "number": number, "state": state, "assignee": assignee},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_conversations(
        self,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        number: Optional[str] = None,
        state: Optional[Literal["open", "snoozed", "done"]] = None,
        assignee: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Conversation]:
        """All entries of `list_conversations`, page after page."""
        return self._core.iterate(
            "GET",
            "/conversations",
            query={"per_page": per_page, "after": after, "number": number, "state": state, "assignee": assignee},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_conversation_by_id(
        self,
        conversation: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Conversation:
        """Get a conversation. Returns a conversation with the person, the owner and what was last said. Needs
        a key with the scope `inbox`.
        """
        return self._core.one(
            "GET",
            f"/conversations/{self._core.quote(conversation)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def change_conversation(
        self,
        conversation: int,
        body: ChangeConversation,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Conversation:
        """Change a conversation's state, or who answers it. Members that are omitted stay as they are.
        Whatever the state, a new message of the person opens the conversation. Each change is an event
        `conversation.updated`, for addresses that name it. Needs a key with the scope `inbox`.
        """
        return self._core.one(
            "PATCH",
            f"/conversations/{self._core.quote(conversation)}",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def control_conversation_thread(
        self,
        conversation: int,
        body: ControlThread,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Conversation:
        """Take a conversation over, give it back, or pass it on. On a number that other senders answer too,
        only the owner of a conversation may send free messages in it. WhatsApp is asked once, and never
        again where it gave no answer: then the answer is 502 with `whatsapp_code` `timeout`, and what
        arrives next shows the owner. Only the escalation partner of the number, chosen in Meta Business
        Suite, may take a conversation (else 502 with 2494191). A conversation that is yours already is not
        taken, and one that is not yours is not given away: both answer 200 and ask nothing. Needs a key
        with the scope `inbox`.
        """
        return self._core.one(
            "POST",
            f"/conversations/{self._core.quote(conversation)}/thread",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def block_person(
        self,
        conversation: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Conversation:
        """Block the person on the number of a conversation. WhatsApp then lets the person write no more to
        this number, and delivers nothing of it to them; they are not told. It blocks only people who wrote
        within the last 24 hours (else 502 with 131047). WhatsApp is asked once: where it gave no answer,
        the answer is 502 with `whatsapp_code` `timeout`, `block_state` is `checking`, and WhatsApp's list
        says within a minute what it is. A person who is blocked already is not blocked again: 200. Needs a
        key with the scope `inbox`.
        """
        return self._core.one(
            "POST",
            f"/conversations/{self._core.quote(conversation)}/block",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def unblock_person(
        self,
        conversation: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Conversation:
        """Unblock the person on the number of a conversation. The person can write to the number again.
        WhatsApp is asked once, as to block. A person who is not blocked is not unblocked: 200. Needs a key
        with the scope `inbox`.
        """
        return self._core.one(
            "DELETE",
            f"/conversations/{self._core.quote(conversation)}/block",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_conversation_notes(
        self,
        conversation: int,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List the notes of a conversation. Returns the notes of the staff and of programs about a
        conversation, the newest first. Needs a key with the scope `inbox`.
        """
        return self._core.list(
            "GET",
            f"/conversations/{self._core.quote(conversation)}/notes",
            query={"per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_conversation_notes(
        self,
        conversation: int,
        *,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[ConversationNote]:
        """All entries of `list_conversation_notes`, page after page."""
        return self._core.iterate(
            "GET",
            f"/conversations/{self._core.quote(conversation)}/notes",
            query={"per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def add_conversation_note(
        self,
        conversation: int,
        body: AddConversationNote,
        *,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ConversationNote:
        """Add a note to a conversation. A note is for the staff alone: it is never sent, and is in no event.
        It is deleted when the person is erased. Needs a key with the scope `inbox`.
        """
        return self._core.one(
            "POST",
            f"/conversations/{self._core.quote(conversation)}/notes",
            body=body,
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def search(
        self,
        *,
        q: Optional[str] = None,
        kinds: Optional[str] = None,
        from_: Optional[str] = None,
        number: Optional[str] = None,
        tag: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        has_file: Optional[bool] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """Search. Finds people by name, number and tag, messages both ways by their words and file names, and
        notes: the newest first, contacts last. What is written is found within a few seconds; `meta.behind`
        says that rows are still missing. What a broadcast said to its recipients is not searched, and what
        people answered is. Needs a key with the scope `inbox`.
        """
        return self._core.list(
            "GET",
            "/search",
            query={"q": q, "kinds": kinds, "from": from_, "number": number, "tag": tag, "since": since, "until": until, "has_file": has_file, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_search(
        self,
        *,
        q: Optional[str] = None,
        kinds: Optional[str] = None,
        from_: Optional[str] = None,
        number: Optional[str] = None,
        tag: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        has_file: Optional[bool] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[SearchHit]:
        """All entries of `search`, page after page."""
        return self._core.iterate(
            "GET",
            "/search",
            query={"q": q, "kinds": kinds, "from": from_, "number": number, "tag": tag, "since": since, "until": until, "has_file": has_file, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_opt_outs(
        self,
        *,
        since: Optional[str] = None,
        identity: Optional[Literal["phone", "any"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List opt-outs. Returns everyone who is currently opted out, in the order in which the opt-outs were
        recorded. To sync opt-outs, set `since` and follow `meta.next` until it is null. Needs a key with
        the scope `read` or `contacts`.
        """
        return self._core.list(
            "GET",
            "/opt-outs",
            query={"since": since, "identity": identity, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_opt_outs(
        self,
        *,
        since: Optional[str] = None,
        identity: Optional[Literal["phone", "any"]] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[OptOut]:
        """All entries of `list_opt_outs`, page after page."""
        return self._core.iterate(
            "GET",
            "/opt-outs",
            query={"since": since, "identity": identity, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_templates(
        self,
        *,
        status: Optional[Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]] = None,
        generated: Optional[bool] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List templates. Returns the templates of the workspace, sorted by name, each with the values it
        needs and whether it can be sent. A template with several languages is returned once per language.
        Needs a key with the scope `read` or `templates`.
        """
        return self._core.list(
            "GET",
            "/templates",
            query={"status": status, "generated": generated, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_templates(
        self,
        *,
        status: Optional[Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"]] = None,
        generated: Optional[bool] = None,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Template]:
        """All entries of `list_templates`, page after page."""
        return self._core.iterate(
            "GET",
            "/templates",
            query={"status": status, "generated": generated, "page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def submit_template(
        self,
        body: SubmitTemplate,
        *,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Template:
        """Submit a template. Gives a template to WhatsApp, which reviews it: `template.approved`,
        `template.rejected` and `template.updated` report what it decides. What WhatsApp would certainly
        refuse is refused before, with 400 and a sentence for each member. Where WhatsApp does not answer,
        the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the account's
        templates are read first, and nothing is submitted twice. Needs a key with the scope `templates`.
        """
        return self._core.one(
            "POST",
            "/templates",
            body=body,
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def check_template(
        self,
        body: SubmitTemplate,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> TemplateCheck:
        """Check a template. Says what is wrong with a template, by the rules that submitting it uses, and what
        WhatsApp may find in its review. Submits nothing. Where the account has a template of this name and
        language, it is checked as its correction. Needs a key with the scope `templates`.
        """
        return self._core.one(
            "POST",
            "/templates/check",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def correct_template(
        self,
        name: str,
        language: str,
        body: CorrectTemplate,
        *,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Template:
        """Correct a template. Replaces the parts of a template that is approved, rejected or paused; WhatsApp
        reviews it again. An approved one can be corrected once in 24 hours and ten times in 30 days, and
        keeps its category. Where WhatsApp does not answer, the response is 503 with `outcome: unknown`:
        repeat the request after a minute. Then the account's templates are read first, and nothing is
        submitted twice. Needs a key with the scope `templates`.
        """
        return self._core.one(
            "PUT",
            f"/templates/{self._core.quote(name)}/{self._core.quote(language)}",
            body=body,
            takes_key=True,
            idempotency_key=idempotency_key,
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def delete_template(
        self,
        name: str,
        language: str,
        *,
        from_: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DeletedTemplates:
        """Delete a template in one language. Deletes the template at WhatsApp. For 30 days, the name of an
        approved one cannot be used again in this language. Messages that are under way still arrive. Where
        WhatsApp does not answer, the response is 503 with `outcome: unknown`: repeat the request after a
        minute. Then the account's templates are read first, and nothing is submitted twice. Needs a key
        with the scope `templates`.
        """
        return self._core.one(
            "DELETE",
            f"/templates/{self._core.quote(name)}/{self._core.quote(language)}",
            query={"from": from_},
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def delete_template_in_all_languages(
        self,
        name: str,
        *,
        from_: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DeletedTemplates:
        """Delete a template in all languages. Deletes all languages of the template at WhatsApp. Where
        WhatsApp does not answer, the response is 503 with `outcome: unknown`: repeat the request after a
        minute. Then the account's templates are read first, and nothing is submitted twice. Needs a key
        with the scope `templates`.
        """
        return self._core.one(
            "DELETE",
            f"/templates/{self._core.quote(name)}",
            query={"from": from_},
            takes_key=True,
            idempotency_key=idempotency_key,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_template_library(
        self,
        *,
        search: Optional[str] = None,
        name: Optional[str] = None,
        language: Optional[str] = None,
        topic: Optional[str] = None,
        usecase: Optional[str] = None,
        industry: Optional[str] = None,
        from_: Optional[str] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List WhatsApp's template library. Asks WhatsApp for the templates of its library. `POST /templates`
        with `library` makes a template of one. An account that may not use the library gets
        `whatsapp_error` with WhatsApp's reason. Needs a key with the scope `read` or `templates`.
        """
        return self._core.list(
            "GET",
            "/templates/library",
            query={"search": search, "name": name, "language": language, "topic": topic, "usecase": usecase, "industry": industry, "from": from_, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_template_library(
        self,
        *,
        search: Optional[str] = None,
        name: Optional[str] = None,
        language: Optional[str] = None,
        topic: Optional[str] = None,
        usecase: Optional[str] = None,
        industry: Optional[str] = None,
        from_: Optional[str] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[LibraryTemplate]:
        """All entries of `list_template_library`, page after page."""
        return self._core.iterate(
            "GET",
            "/templates/library",
            query={"search": search, "name": name, "language": language, "topic": topic, "usecase": usecase, "industry": industry, "from": from_, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_network_changes(
        self,
        *,
        number: Optional[str] = None,
        template: Optional[str] = None,
        language: Optional[str] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List what the network changed. Returns what the network changed about a number or a template, newest
        first: the quality, the messaging limit, restrictions, pauses, decisions and categories, each with
        its date and what it means; of one number, of one template, or of all. A report that arrives late
        stands where it belongs by the network's time, and one that arrives twice stands there once. What is
        not known from reports is found by the hourly comparison. Changes are kept for 400 days. Needs a key
        with the scope `read` or `templates`.
        """
        return self._core.list(
            "GET",
            "/network-changes",
            query={"number": number, "template": template, "language": language, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_network_changes(
        self,
        *,
        number: Optional[str] = None,
        template: Optional[str] = None,
        language: Optional[str] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[NetworkChange]:
        """All entries of `list_network_changes`, page after page."""
        return self._core.iterate(
            "GET",
            "/network-changes",
            query={"number": number, "template": template, "language": language, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_groups(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List groups. Returns all groups of the workspace, sorted by name. The count of a dynamic group can
        be up to a minute old. Needs a key with the scope `read` or `contacts`.
        """
        return self._core.list(
            "GET",
            "/groups",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_groups(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Group]:
        """All entries of `list_groups`, page after page."""
        return self._core.iterate(
            "GET",
            "/groups",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[List[Literal["message.sent", "message.delivered", "message.read", "message.failed", "message.scheduled", "message.cancelled", "message.received", "media.stored", "media.failed", "contact.opted_out", "contact.opted_in", "contact.may_want_to_stop", "contact.updated", "conversation.updated", "contact.erased", "broadcast.paused", "broadcast.resumed", "broadcast.blocked", "broadcast.finished", "template.approved", "template.rejected", "template.updated", "webhook.test"]]] = None,
        wait: Optional[int] = None,
        signed: Optional[bool] = None,
        cursors: Optional[bool] = None,
        per_page: Optional[int] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """Read the event log. Returns events in the order in which they happened, oldest first, whether or not
        a webhook is set. Store `meta.next` with what you have processed, and pass it as `after`: no event
        is missed and none is returned twice. With `wait`, the response is held until there is an event. A
        page may be empty although `has_more` is true, if the events that were examined are of other types.
        A cursor that is older than the kept events, or that belongs to another copy of the database,
        returns 400 with `error.oldest`, the cursor to start again from. Needs a key with the scope `read`.
        """
        return self._core.list(
            "GET",
            "/events",
            query={"after": after, "types": types, "wait": wait, "signed": signed, "cursors": cursors, "per_page": per_page},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[List[Literal["message.sent", "message.delivered", "message.read", "message.failed", "message.scheduled", "message.cancelled", "message.received", "media.stored", "media.failed", "contact.opted_out", "contact.opted_in", "contact.may_want_to_stop", "contact.updated", "conversation.updated", "contact.erased", "broadcast.paused", "broadcast.resumed", "broadcast.blocked", "broadcast.finished", "template.approved", "template.rejected", "template.updated", "webhook.test"]]] = None,
        wait: Optional[int] = None,
        signed: Optional[bool] = None,
        cursors: Optional[bool] = None,
        per_page: Optional[int] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Entries[WebhookEvent]:
        """All entries of `list_events`, page after page; `cursor` of the result is the position behind each."""
        return self._core.iterate(
            "GET",
            "/events",
            query={"after": after, "types": types, "wait": wait, "signed": signed, "cursors": True, "per_page": per_page},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_webhooks(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ApiList:
        """List webhook addresses. Returns the addresses that receive the workspace's events, at most ten, the
        first one first. Needs a key with the scope `webhooks`.
        """
        return self._core.list(
            "GET",
            "/webhooks",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def iterate_webhooks(
        self,
        *,
        page: Optional[int] = None,
        per_page: Optional[int] = None,
        after: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Iterator[Webhook]:
        """All entries of `list_webhooks`, page after page."""
        return self._core.iterate(
            "GET",
            "/webhooks",
            query={"page": page, "per_page": per_page, "after": after},
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def add_webhook(
        self,
        body: AddWebhook,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> NewWebhook:
        """Add a webhook address. Adds an address with a secret of its own, up to ten. It receives the events
        from now on. Without `types`, it receives all but message.scheduled, message.cancelled,
        contact.updated, conversation.updated, template.updated, also those of later versions that it need
        not ask for. The secret is in this answer alone. Where the workspace has no first address, it
        becomes that, and has the id 1. The owners get an e-mail about it. Needs a key with the scope
        `webhooks`.
        """
        return self._core.one(
            "POST",
            "/webhooks",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def change_webhook(
        self,
        id: int,
        body: ChangeWebhook,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Webhook:
        """Change a webhook address. Changes what is given. Waiting deliveries go to a new `url`. The secret
        stays. The owners get an e-mail about it. Needs a key with the scope `webhooks`.
        """
        return self._core.one(
            "PATCH",
            f"/webhooks/{self._core.quote(id)}",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def remove_webhook(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RemovedWebhook:
        """Remove a webhook address. Nothing more is sent there. The owners get an e-mail about it. Needs a key
        with the scope `webhooks`.
        """
        return self._core.one(
            "DELETE",
            f"/webhooks/{self._core.quote(id)}",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def rotate_webhook_secret(
        self,
        id: int,
        body: RotateSecret,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> RotatedSecret:
        """Replace the secret of a webhook address. Creates a new secret. The owners get an e-mail about it. A
        receiver that does not accept the test event is 400, with what it answered in `fields.overlap`.
        Needs a key with the scope `webhooks`.
        """
        return self._core.one(
            "POST",
            f"/webhooks/{self._core.quote(id)}/rotate-secret",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def mark_inbound_read(
        self,
        id: int,
        body: MarkRead,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> MarkedRead:
        """Mark a received message as read. Shows the person that their message, and everything before it, was
        read. A repeat changes nothing. The console's own count of unread messages is another thing: it is
        what the staff have not looked at. Needs a key with the scope `send`.
        """
        return self._core.one(
            "POST",
            f"/inbounds/{self._core.quote(id)}/read",
            body=body,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_inbound(
        self,
        id: int,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> InboundMessage:
        """Get a received message. Returns a message that a person sent, as `message.received` shows it, with
        the present state of its file. Its id is a number of its own: `GET /messages/{id}` knows only what
        was sent. After the person was erased, it returns 404. Needs a key with the scope `read`.
        """
        return self._core.one(
            "GET",
            f"/inbounds/{self._core.quote(id)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def upload_media(
        self,
        content: bytes,
        filename: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> UploadedMedia:
        """Upload a file. Takes a file to be sent by its id, once or many times, as a form
        (`multipart/form-data`) with one part `file`. The type is read from the bytes: JPEG or PNG up to 5
        MB; MP4 or 3GP video, AAC, AMR, MP3, M4A or Ogg Opus audio up to 16 MB; PDF, text, Word, Excel,
        PowerPoint, OpenDocument, RTF or ZIP up to 100 MB; a WebP sticker up to 100 kB, animated up to 500
        kB. `expires_at` says when the file is deleted unless it is sent before; each message that sends it
        extends its life. A workspace makes 4 uploads at once, and a key uploads 2 GB a day; beyond that:
        429. The uploads of a workspace may take half of its share of the server's room; beyond that: 400.
        An upload that is cut short leaves nothing. Needs a key with the scope `send`.
        """
        return self._core.one(
            "POST",
            "/media",
            file=(content, filename),
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_media(
        self,
        id: int,
        *,
        byte_range: Optional[str] = None,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> MediaFile:
        """Get a file. Returns the bytes of a picture, video, voice message, sticker or document that a person
        sent or that was uploaded. A received file is there as soon as it is stored: `media.stored` says so
        and carries a link that needs no key. The type is read from the bytes. Parts can be requested with
        `Range` (206; 416 beyond the end), also conditionally with `If-Range` and `If-None-Match` against
        the `ETag`. A file that is not stored, or not any more, returns 404, and the message says why. Needs
        a key with the scope `read`.
        """
        return self._core.file(
            "GET",
            f"/media/{self._core.quote(id)}",
            is_idempotent=True,
            byte_range=byte_range,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def get_settings(
        self,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> WorkspaceSettings:
        """Retrieve the settings. Returns the workspace's settings as they hold now. Owners change them in the
        console, operators with `waxwing workspace update`; a change holds from the next message on. Needs a
        key with the scope `read`.
        """
        return self._core.one(
            "GET",
            "/settings",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def list_duplicates(
        self,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> List["DuplicatePair"]:
        """List possible duplicates. Returns pairs of contacts that may be one person, at most 50, the surest
        reasons first. Further pairs follow once some are joined or marked as different people. Nothing is
        joined automatically. Needs a key with the scope `read` or `contacts`.
        """
        return self._core.one(
            "GET",
            "/duplicates",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def mark_different_people(
        self,
        phone: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> DifferentPeople:
        """Mark two contacts as different people. The two are not listed as possible duplicates from now on.
        Needs a key with the scope `contacts`.
        """
        return self._core.one(
            "POST",
            f"/contacts/{self._core.quote(phone)}/different",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def compare_contacts(
        self,
        phone: str,
        other: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ContactComparison:
        """Compare two contacts before joining them. Says what a join would do: the fields in which the
        contacts differ, the consent that would hold, and what would move from the other contact to the
        first one in the path. Changes nothing. Needs a key with the scope `read` or `contacts`.
        """
        return self._core.one(
            "GET",
            f"/contacts/{self._core.quote(phone)}/join/{self._core.quote(other)}",
            is_idempotent=True,
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )

    def join_contacts(
        self,
        phone: str,
        *,
        request_id: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Contact:
        """Join two contacts. The contact named by `with` becomes a part of the contact in the path: its
        numbers and user ids lead there, its messages, conversations, notes, tags, groups and scheduled
        messages follow, and consent is never raised: an opt-out of either holds, and the evidence of both
        is kept. Cannot be undone. Messages of the past follow within moments. Needs a key with the scope
        `contacts`.
        """
        return self._core.one(
            "POST",
            f"/contacts/{self._core.quote(phone)}/join",
            request_id=request_id,
            timeout=timeout,
            max_retries=max_retries,
        )
