/**
 * The kinds of words in a clause, for clause-head.ts. The lists are closed: a word in none of them is `other`, and may be
 * the subject of the clause. Words are normalised as in reply-text.ts.
 */

import { NOUNS } from "./phrase-synonyms.ts";
import { ECHO, OUR_NAME, OUR_SENDER } from "./reply-text.ts";

/**
 * recipient: may be what a phrase is said of. echo: the address itself. modifier: may stand before these. adjective: before
 * or after them. domain: what rules about the domain are said of. place: may follow a preposition. name: a host name, an
 * organisation, a number. foreign: a domain that is not the recipient's. client: an IP address, or what is "yours".
 * our_sender, our_name: our sender and our other names. either: a noun after a noun or an article, else a verb.
 * storage: see storageWordKind. verb: what a server does not do with a recipient. grammar: verbs, states, adverbs and the like.
 */
export type WordKind =
  | "recipient"
  | "echo"
  | "modifier"
  | "adjective"
  | "domain"
  | "place"
  | "name"
  | "foreign"
  | "client"
  | "our_sender"
  | "our_name"
  | "other"
  | "storage"
  | "preposition"
  | "determiner"
  | "either"
  | "verb"
  | "grammar"
  | "comma"
  | "stop";

/** Each word is in one list only. */
const LISTS: readonly (readonly [WordKind, string])[] = [
  ["comma", ","],
  ["stop", "."],
  ["echo", ECHO],
  ["client", "@ip"],
  ["our_sender", OUR_SENDER],
  ["our_name", OUR_NAME],
  [
    "name",
    `apache openoffice siteground gmail googlemail google yahoo hotmail outlook live icloud aol msn gmx zoho
    yandex mailru rambler protonmail proton fastmail comcast verizon cox worldnet earthlink bellsouth
    prodigy sbcglobal charter optonline rackspace ionos strato ovh t-online freenet arcor orange wanadoo
    laposte seznam centrum wp onet interia libero tiscali virgilio alice terra uol naver daum hanmail qq
    sina sohu netease tencent aliyun szn bigpond chkuser gsmtp`,
  ],
  // Forms of an address, not addresses; others are unlisted, and these would be names because of their digits.
  ["other", "utf8 utf-8 ascii7 7bit 8bit rfc821 rfc822 rfc2821 rfc2822 rfc5321 rfc5322 rfc6531"],
  [
    "recipient",
    `pupil teacher colleague holder user-id user-name mail-box mailboxname e-mailaddress email-address
    account-name alumnus alumni resident user users username usernames userid userids useraccount mailuser
    mailname uid netid recipient recipients recipent recipents recepient recepients reciepient reciepients
    receipient receipients mailbox mailboxes mbox inbox maildrop mailaddress mailaddresses mailid
    emailaddress account accounts address addresses adress addressee addressees email emails e-mail e-mails
    rcpt alias aliases person people individual customer customers subscriber subscribers member members
    student employee local-part localpart part name names id nobody noone anybody anyone somebody one
    contact destination drop subscription destin box`,
  ],
  [
    "modifier",
    `guest test demo trial temp business legacy main default actual exact precise certain said above below
    mentioned aforementioned desired unique human functional operational usable regular ordinary
    departmental campus department genannte genannter gesuchte unbekannte unbekannter такои самыи почтового
    электроннои & incoming null free remote dns open outbound extended virtual smtp internet pop pop3 imap
    domino target final original intended intented specific corresponding particular valid active existing
    real known registered current correct proper legitimate legal matching deliverable staff faculty company
    corporate hosted internal personal private shared public primary secondary old new previous former
    single following right authorized authorised unix home non-accepted school university angegebene
    angegebener angegebenes eingegebene gewunschte lokale lokaler opgegeven angivna oppgitte podany podana
    podane wskazany wskazana почтовыи локальныи электронныи`,
  ],
  [
    "adjective",
    `local stated quoted supplied chosen selected concerned senalado senalada cherche cherchee mail specified
    given named called requested provided entered electronique locale electronico electronica postal postale
    elettronica elettronico eletronico eletronica pocztowe pocztowa pocztowy pocztowej emailova emailovy
    postovni indicado indicada indicato indicata informado informada especificado especificada solicitado
    solicitada demandee demande indiquee indique specifiee specifie`,
  ],
  [
    "domain",
    `relay relays domain domains host hosts site sites server servers system systems mx mta gateway exchanger
    access control mailserver mailhost machine network organization organisation operation traffic service
    locals file rcpthosts forwarding record dominio domaine domena домен servidor serveur ip authentication`,
  ],
  [
    "place",
    `nom nombre naam namn navn nazwie office college platform environment installation realm instance
    premises firm corporation club agency ministry hospital community cloud net facility records books
    register registry roster catalogue base datastore userbase userlist world passwd violation terms fraud
    expiry termination departure retirement sistemi sistemimizde sunucuda sunucumuzda palvelimella serverul
    serverze szerveren rekord сервере системе домене почты базе sistema sistemas registros registro registri
    lookup explanation information details enterprise routing book map nome reasons space migration
    messagerie courriel destino estado team inactivity non-payment abuse request administrator owner day
    days week weeks month months year years time lack activity nonpayment directory directories table
    database ldap institution location list validrcptto configuration groupwise workmail mailsystem intranet
    falta uso pagamento pago inutilizzo utilizzo mancato systeme annuaire verzeichnis datenbank directorio
    diretorio domenie serwerze serwer systemie serveru`,
  ],
  [
    "preposition",
    `sul sulla nella nello pelo pela upon beneath towards toward regarding concerning bis hinter neben op aan
    uit ved vid hos mot om fra ut sobre entre para presso ad al alla allo alle ai agli przez przy od dla por
    per during without onto with in on at of for to by from via within under behind about into against
    through thru inside among over after before con neste nesta de d du des del della dello dell degli dei
    delle do da dos das di dal nel en em na chez sur dans au aux fur fuer von vom im bei beim auf unter zu
    zum zur van voor bij till pa av til w z pro v u pri в на у с по для от из к`,
  ],
  [
    "determiner",
    `diesem unserem unserer unseren unser unsere onze nasz naszym naszej nasze nostro nostra nostri nosso
    nossa nossos nuestro nuestra nuestros nuestras vart vores vare denne dette dem az ez ezen acest aceasta
    acel tomto tomuto tohoto tejto наш нашем нашеи нашего этом это three six twelve several the this that
    these those a an any some our my your his her its their such all each every another two more than last
    allowed long-time le la les l un une ce cet cette ces notre nos el lo los las esta este ese esa dicha dicho il gli
    questo questa os as um uma esse essa der die den ein eine einen einer dieser diese dieses diesen het een
    deze dit det denna detta ten ta tego tym taki takiego taka takie takiej tento tato toto bu boyle bir
    ilyen ne такого такая этот эта этого указанныи указанного данныи ο η το`,
  ],
  [
    "either",
    `check match look log hold use used try route visit delivery message messages action error errors failure
    status verification validation turn mails mistake reference notice typo stop call reply response group
    query`,
  ],
  ["verb", `know knows handle handles recognize recognise recognizes recognises serve serves`],
  [
    "grammar",
    `mapped switched alas sadly regretfully kindly definitely certainly evidently obviously previously recently formerly once
    meanwhile today instead however otherwise further always often long ago truly merely quite entirely
    fully wholly totally locally become became remain remains remained lead leads point points pointing
    nowhere anywhere resigned departed withdrawn ceased released recycled reassigned dissolved renamed
    changed lost unassigned unclaimed vacant vacated void dead defunct none empty unlisted unmatched
    unidentified undefined unprovisioned unconfigured deregistered inoperative whose what nothing anything
    something gets lets need needs gave give given-up dialed dialled reaching contacting mailing emailing
    writing attempting attempted intend correspond corresponds match-up exist-here kennen kennt bitte prufen
    uberprufen sie wir ihnen man derzeit momentan verzogen abgeschaltet aufgelost entfernt angelegt gefuhrt
    verfugbar erreichbar zugestellt zustellbar angenommen keiner sich malheureusement merci verifier
    verifiez jamais supprime supprimee supprimes cloture resilie actif sentimos disculpe ya encuentra se hay
    tiene conoce conocemos eliminado eliminada dado dada baja borrado borrada ninguno nadie desculpe
    infelizmente ja mais tem ha removido removida excluido excluida conhecemos ninguem purtroppo rimosso
    rimossa eliminato eliminata cancellato cancellata presente risulta abbiamo conosciamo przepraszamy
    niestety juz usuniete usunieta usuniety znaleziono odnaleziono znany znane znana bohuzel omlouvame neni
    nebyl nebyla nebylo jiz uz smazan smazana nasiel nenasiel uzgunuz maalesef bulunmuyor bulunmamaktadir
    kayitli silinmis silindi kapali helaas meer bekend verwijderd opgeheven wij ons tyvarr beklager
    desvaerre langre lengre laengere borttagen slettet fjernet oss valitettavasti olemassa enaa tama talla
    poistettu sajnos mar torolve pare rau mai fost sters gasit увы извините сожалению удален удалена удалено
    есть зарегистрирован зарегистрирована отсутствует невозможно not no non cannot cant couldnt doesnt dont
    didnt isnt wasnt arent werent hasnt havent wont nt never n neither nor is are was were be been being am
    has have had having does did done can could will would must shall should i we you he she it they us me
    them who which whom weve there here therefore hence thus and or but because so also only just even yet
    still already now currently presently temporarily permanently longer anymore any-more actually really
    apparently unfortunately regrettably administratively administrativley completely simply ever hereby
    therein indeed please sorry apologies fatal oops unknown unkown unknow unknwon invalid incorrect wrong
    bad bogus illegal nonexistent non-existent nonexistant non-existant nonexisting non-existing exist
    exists existent existed found find located locate resolved resolve identified identify matched matches
    looked looking recognized recognised unrecognized unrecognised undeliverable unrouteable unroutable
    unreachable unresolvable misspelled misspelt mistyped mis-typed deleted removed purged erased gone
    missing absent disabled inactive suspended deactivated expired locked closed terminated frozen
    discontinued cancelled canceled dormant retired archived decommissioned paused disconnected abandoned
    revoked barred deprecated quarantined blocked shutdown shut down stopped lapsed unused unavailable
    available enabled activated unread idle ended overdue unpaid soft-deleted replaced obsolete verify
    verified validate validated defined configured created provisioned listed present contained included
    assigned associated set setup accept accepts accepted accepting take takes taken receive receives
    receiving received refuse refuses refused rejected reject rejects denied denies failed fail fails
    failing get got getting deliver delivered delivering say says reach reached reachable contacted tried
    trying typed wrote written write sent sending addressed see seems seem appear appears aborted permanent
    moved left leaves works work worked working lives live living employed permitted prohibited disallowed
    forbidden due unable let own owns owned belong belongs marked since logged again required unauthorized
    unauthorised goes relaying relayed handled served hosting protected want wanted turned off out up away
    back suspend temporary later returned unregistered dosnt elsewhere provide parked routed authenticate
    first hard put enable publishes uses unallocated allocated least syntactically treat although listening
    mean meant make makes made does-not go going come keep kept hold-on spelling made-up nobody-here ours
    mine yours theirs nosuchuser nxdomain tenantattribution infodomainnonexistent nullmx sid sl dd rc ld msg
    ok best-preference such-user nicht nie pas plus nao niet inte ej ikke ei ole nem nu nincs ma jest ist
    sind wurde wird werden konnte kann hat war est es foi ete e stato stata sido zostal zostala zostalo je
    byl byla er ar var yok degil mevcut tidak existe existiert esiste istnieje exista existuje bestaat finns
    findes finnes loydy loytynyt letezik talalhato postoji gibt kein keine keinen geen ingen aucun aucune
    nessun nessuna ningun ninguna nenhum nenhuma zadny brak trouve trouvee trouves gefunden gevonden
    encontrado encontrada trovato trovata hittades fundet funnet ditemukan nalezen bekannt vorhanden
    registriert eingerichtet valide valido valida cadastrado cadastrada registrado registrada registrato
    registrata oder ou o lub y et und och og wegen mehr encore mas piu wiecej mer uns nous ici hier har aqui
    qui tu tutaj zde burada namen desole lamentamos leider spiacenti siamo simile niemand personne gehostet
    alojado recense administracyjnie geloscht не нет існує δεν υπαρχει существует наиден наидена или
    обслуживается больше был была здесь`,
  ],
];

const KIND_OF = new Map<string, WordKind>();
for (const [kind, list] of LISTS) {
  for (const word of list.trim().split(/\s+/)) KIND_OF.set(word, kind);
}

/** Words for the recipient with inflections, and the compounds of Germanic languages, of which the last part is the head. */
const RECIPIENT = new RegExp(
  `^(?:${[
    "destinatai?r(?:e|es|io|ios|i|ul|ului|a)?|utilisateurs?|usagers?|adresses?|comptes?|boites?|lettres|abonnes?",
    "(?:(?:benutzer|nutzer|empf(?:a|ae)nger|anwender|kunden|mail|e-?mail|ziel|user|internet)-?)*(?:kont(?:o|os|en)|postf(?:a|ae)ch(?:s|es|er)?|adressen?|adressat(?:en)?|benutzer[sn]?|nutzer[sn]?|empf(?:a|ae)nger[sn]?|teilnehmer[sn]?|kennung|name|account|mailbox)",
    "usuarios?|personas?|cuentas?|buzon(?:es)?|casillas?|direccion|correo|utent[ei]|caselle?|casella|indirizz[oi]|posta|contas?|caixas?|enderecos?|correio|utilizador(?:es)?",
    "(?:gebruikers|e-?mail)?-?(?:account|adres)|gebruikers?|gebruikersnaam|ontvangers?|geadresseerde|postvak|postbus",
    "mottagare[ns]?|mottagar(?:adress(?:en)?)|anvandar(?:e|en|namn|konto|kontot)|brevlada[n]?|(?:e-?post)?adress(?:en)?|(?:mottaker|bruker|modtager|bruger)(?:en|e|konto|kontoen|adresse|adressen)?|postkasse[n]?|konto(?:en|t)?",
    "vastaanottaja[an]?|kayttaja(?:a|n|tunnus|tili|tilia)?|postilaatikko(?:a)?|osoite(?:tta)?",
    "adresat(?:a|u)?|uzytkownik(?:a|u|iem)?|odbiorc(?:a|y|e)|skrzynk(?:a|i|e)|kont(?:o|a)|adresu?",
    "uzivatel(?:e|sky|ske)?|prijemc(?:e|i)|schrank(?:a|y|u)|adres(?:a|y|ata?)|ucet|uctu",
    "cimzett(?:et|nek)?|felhasznalo(?:t|nak|i)?|postafiok(?:ot)?|fiok(?:ot)?",
    "utilizator(?:ul|ului)?|casuta|contul|adresa",
    "kullanici(?:si|yi|nin)?|alici(?:si|yi|nin)?|hesab[ia]?|hesap|kutusu|adresi?",
    "pengguna|penerima|akun|alamat|korisni(?:k|ka|cki)|primatelj(?:a)?|racun",
    "пользовател[ьяюеи]м?|ящика?|адреса?|адресата?|получател[ьяюеи]|аккаунта?|абонента?|запис[ьи]|учетнои|учетная|користувача?|отримувача?|скриньк[аиу]",
    "χρηστης?|χρηστη|παραληπτης?|λογαριασμος|διευθυνση",
  ].join("|")})$`,
);

/** States in other languages than English. */
const STATE = new RegExp(
  `^(?:${NOUNS.absentabroad}|${NOUNS.shutabroad}|неизвест\\S*|заблокирован\\S*|отключен\\S*|закрыт\\S*)$`,
);

/** Chinese, Japanese and Korean have no spaces to rely on: a word is one for the recipient if it consists of these. */
const EAST_RECIPIENT =
  /用户名?|用戶|邮箱|郵箱|信箱|收件人|收信人|收件者|地址|账号|帐号|账户|帐户|帳號|帳戶|使用者|ユーザー?名?|メールボックス|メールアドレス|アドレス|アカウント|宛先|受信者|사용자|계정|메일박스|메일함|메일주소|주소|수신자|수신인|받는 ?사람|아이디|회원/g;
const EAST_GRAMMAR =
  /見つかりませんでした|登録されていません|見つかりません|見当たりません|されています|ませんでした|存在しません|ありません|されました|そのような|という名前|存在しない|指定された|되었습니다|죄송합니다|いません|没有找到|見つかり|該当する|등록되지|않습니다|없습니다|존재하지|います|お客様|された|されて|ている|でした|という|ません|不存在|对不起|已关闭|找不到|未开通|未找到|未注册|申し訳|被删除|送信先|삭제된|요청한|이메일|입니다|입력한|탈퇴한|この|その|です|は、|不明|不是|停止|停用|关闭|冻结|删除|削除|发送|已经|已被|当前|我们|抱歉|指定|无效|无此|无法|既に|查无|检查|沒有|没有|注册|注销|無効|無效|無此|無法|現在|电子|登録|目前|目标|禁用|系统|这个|远程|那个|邮件|锁定|그런|메일|삭제|상태|않는|않은|않음|없는|없음|으로|이미|이상|정지|중지|찾을|해당|해지|현재|휴면|が|ご|に|の|は|を|中|在|已|很|您|或|所|是|暂|有|本|此|沒|的|被|請|该|请|가|는|더|된|로|를|수|에|은|을|의|이/g;
const EAST_LETTERS = /[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af]/;

/** What a mailbox has a limited amount of, and what is said of it. Only rules about a full mailbox may be said of these. */
const STORAGE = new RegExp(
  `^(?:${[
    String.raw`\S*quot[ae]s?\S*|diskspace|disks?|space|storage|limits?|size|room|capacity|usage|allocation|allotment|allotted`,
    "allocated|volume|amount|count|data|maximum|exceed(?:s|ed|ing)?|reached|mail-?(?:folder|dir|store|file)|folder",
    "speicher(?:platz|limit)?|cuota|cota|kvota|limite|espace|espacio|espaco|spazio|taille|miejsca|квот[аы]",
    NOUNS.fullabroad,
    "prohibit-receive|action|requested|messages?|blocks?|inodes?|dropfile|number|violation|disco|переполнен",
  ].join("|")})$`,
);
const AMOUNT =
  /^(?:too|much|many|enough|insufficient|larger|more|available|disponi[bv]\S*|overdrawn|exeeded|passed|extended|sessionid|sz|ct)$/;
/** Words of a server in languages without spaces. */
const EAST_SERVER = /服务器|伺服器|系统|系統|磁盘|磁碟|サーバ|ディスク|システム|서버|디스크|시스템/;

/** The kind of a word in a clause about room for mail. */
export function storageWordKind(word: string): WordKind {
  if (STORAGE.test(word)) return "storage";
  if (AMOUNT.test(word)) return "grammar";
  if (EAST_LETTERS.test(word)) return EAST_SERVER.test(word) ? "domain" : "storage";
  return wordKind(word);
}

/** Kinds of recent words that are in no list: servers repeat themselves. */
const recentKinds = new Map<string, WordKind>();
const MAX_RECENT = 2000;
const MAX_RECENT_CHARACTERS = 40;

export function wordKind(word: string): WordKind {
  const known = KIND_OF.get(word) ?? recentKinds.get(word);
  if (known !== undefined) return known;
  const kind = unlistedKind(word);
  if (word.length > MAX_RECENT_CHARACTERS) return kind;
  if (recentKinds.size >= MAX_RECENT) recentKinds.clear();
  recentKinds.set(word, kind);
  return kind;
}

function unlistedKind(word: string): WordKind {
  const known = KIND_OF.get(word.replace(/(?<=.)\.$/, ""));
  if (known !== undefined) return known;
  if (/[\d]|\S\.\S/.test(word)) return "name";
  if (word.length === 1 && word < "\u0370") return "grammar";
  if (RECIPIENT.test(word) || (word.endsWith("s") && KIND_OF.get(word.slice(0, -1)) === "recipient"))
    return "recipient";
  if (STATE.test(word)) return "grammar";
  return EAST_LETTERS.test(word) ? eastKind(word) : "other";
}

function eastKind(word: string): WordKind {
  const rest = word.replace(EAST_RECIPIENT, " ");
  if (rest.replace(EAST_GRAMMAR, "").trim() !== "") return "other";
  return rest === word ? "grammar" : "recipient";
}
