/**
 * Rejections that prove that a mailbox exists: a group, a list or an internal mailbox that accepts no external mail.
 *
 * Tried before the authentication, sender and policy rules: these replies mention all of them.
 */

import { any } from "../phrase.ts";
import { phrases, type Rule } from "../rule.ts";

/** A limit or a size is no restriction of senders, and two alternative reasons prove neither. */
const NOT_A_RESTRICTION = any`
  recipsizelimit
  (may|might) not exist
  (does not|doesnt|not) (exist|found)(?! among)
  unknown (user|recipient|mailbox)
  (user|recipient|mailbox) unknown
  @ip
`;

export const RESTRICTED_RULES: readonly Rule[] = [
  ...phrases("auth_required", [
    [
      "insiders-who-logged-in",
      any`
        resolver\.rst\.(authrequired|sendernotauthenticated\S*)
        sender not authenticated for … ?(group|mailbox|mail ?user|recipient|folder)
        delivery restriction check failed … not authenticated
        {insiders} … ?(only )?(accepts?|takes?|allows?) (mail |messages )?(only )?(from )?authenticated (senders|users)
        {insiders} requires … (senders|users) (are|to be|must be) authenticated
      `,
      "that mailbox exists, and takes mail from its own people only",
      { mailbox: "exists", severity: 5, stages: ["rcpt"], unless: NOT_A_RESTRICTION },
    ],
  ]),
  ...phrases("policy_rejected", [
    [
      "insiders-only",
      any`
        resolver\.rst\.(?!sendsizelimit)\S
        {insiders} … ?(for |reserved for )internal (use|mail|users?|senders?)\b
        internal(-| )(mailbox|address|list|group|recipient) … ?(only|external|outside)
        {insiders} … ?(only )?(accepts?|allows?|receives?|takes?) … ?(only )?(from|by) (its |the |their |people |users |senders |other |known )*(internal|inside|within|members|employees|same organi[sz]ation|own (domain|organi[sz]ation|members))
        {insiders} … ?(does not|doesnt|do not|dont|cannot|not|wont|will not) (accept|receive|allow|take)\w* … ?(from|by) (senders |users |people |anyone |addresses |mail |the )*(outside|external|internet|non-?members|outsiders|anonymous)
        {insiders} … (external|outside|anonymous) (senders|users|mail|e-?mail) (\S+ )?(is |are )?(not|arent|isnt|never) (allowed|permitted|accepted)
        configured to reject … from (senders |users )?outside
        not (authori[sz]ed|allowed|permitted) to (send|post|write|mail) … ?(to )?(this |the |that )?(mailing |distribution )?(group|list)\b
        permission to (send|post|write) … ?(to )?(this |the |that )?(mailing |distribution )?(group|list)\b
        (list|group) … ?(closed|restricted|private|limited) (to|for) (list |group )?(non-?)?(members|subscribers)
        only (list |group )?(members|subscribers) … ?(post|send|write)
        {insiders} … ?(?<!not )(for|accepts?|takes?) (replies|answers|responses) … only
        {insiders} … ?(not open|closed) to … ?(outside|external|outsiders)\b
        {insiders} … ?(accepts?|takes?|receives?) … ?from (its |his |her |their |known |approved )*(contacts|correspondents|members|employees|staff) only
        only (employees|staff|insiders) … ?(may |can )?(write|send|post|mail)
        (members|employees|staff) only … ?(use|write|post|send)
        {insiders} is internal\b
        private list
        sender … not (a )?(group|list) member
      `,
      "that mailbox exists, and takes no mail from outside senders",
      { mailbox: "exists", severity: 5, stages: ["rcpt"], unless: NOT_A_RESTRICTION },
    ],
  ]),
];
