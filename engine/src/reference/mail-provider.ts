/**
 * Identifies the provider that runs a domain's mail, by the names of its mail hosts.
 *
 * The slug is public (details.provider) and keys throttling and provider profiles, so slugs are added but never
 * renamed. A filter in front of the mailbox host (Mimecast, Proofpoint …) is what answers on port 25, so that is the
 * provider.
 */
import { getDomain } from "../address/public-suffix.ts";

/**
 * Mail hosts in order of preference, lower case, without the final dot; the first known one decides. "" without mail
 * hosts, "other" if none is known.
 */
export function mailProviderOf(mxHosts: readonly string[], domain: string): string {
  if (mxHosts.length === 0) return "";
  for (const host of mxHosts) {
    const slug = slugOf(host);
    if (slug !== undefined) return CONSUMER_SLUGS.get(`${slug} ${domain}`) ?? slug;
  }
  return "other";
}

/** Whether both mail hosts are a known provider's, or have the same registrable domain. */
export function isSameOperator(host: string, other: string): boolean {
  const provider = slugOf(host);
  if (provider !== undefined && provider !== "other" && provider === slugOf(other)) return true;
  const owner = getDomain(host, { allowPrivateDomains: true });
  return owner !== null && owner === getDomain(other, { allowPrivateDomains: true });
}

/** A suffix of this provider's mail host names; undefined for an unknown provider. */
export function mailHostOf(provider: string): string | undefined {
  return MAIL_HOST_ENDINGS[provider]?.split(" ", 1)[0];
}

/** Whether a route can have this slug. */
export function isMailProvider(slug: string): boolean {
  return KNOWN_SLUGS.has(slug);
}

/** Suffixes of mail host names by slug. The longest match decides. */
const MAIL_HOST_ENDINGS: Readonly<Record<string, string>> = {
  google: "gmail-smtp-in.l.google.com gmr-smtp-in.l.google.com",
  google_workspace: "l.google.com smtp.google.com googlemail.com psmtp.com google.com",
  outlook: "olc.protection.outlook.com hotmail.com",
  microsoft_365:
    "mail.protection.outlook.com mx.microsoft mail.eo.outlook.com mail.protection.partner.outlook.cn protection.office365.us outlook.com mail.protection.outlook.de",
  yahoo: "yahoodns.net yahoo.com aol.com",
  yahoo_japan: "yahoo.co.jp",
  icloud: "icloud.com mail.me.com",
  proton: "protonmail.ch proton.ch",
  tuta: "tutanota.de tuta.com",
  zoho: "zoho.com zoho.eu zoho.in zoho.com.au zoho.com.cn zohomail.com zoho.jp zohocloud.ca zoho.sa",
  fastmail: "messagingengine.com",
  gmx: "gmx.net gmx.com",
  web_de: "web.de",
  mail_com: "mail.com",
  ionos:
    "kundenserver.de ionos.com ionos.de ionos.co.uk ionos.es ionos.fr ionos.it perfora.net 1and1.com 1and1.co.uk 1and1.fr 1and1.es schlund.de",
  mail_ru: "mail.ru vk.com",
  yandex: "yandex.ru yandex.net yandex.com",
  rambler: "rambler.ru",
  ukr_net: "ukr.net",
  qq: "qq.com",
  tencent_exmail: "mxbiz1.qq.com mxbiz2.qq.com exmail.qq.com",
  netease: "netease.com 163.com qiye163.com",
  alibaba: "mxhichina.com aliyun.com",
  sina: "sina.com sina.com.cn sinanet.com",
  sohu: "sohu.com",
  china_mobile: "139.com",
  china_telecom: "189.cn",
  naver: "naver.com worksmobile.com",
  daum: "daum.net hanmail.net",
  kakao: "kakao.com kakaowork.com",
  nate: "nate.com",
  docomo: "docomo.ne.jp",
  au_kddi: "ezweb.ne.jp au.com kddi.ne.jp",
  softbank: "softbank.ne.jp softbank.jp",
  biglobe: "biglobe.ne.jp",
  ocn: "ocn.ne.jp ocn.ad.jp",
  nifty: "nifty.com",
  so_net: "so-net.ne.jp",
  sakura: "sakura.ne.jp",
  lolipop: "lolipop.jp",
  xserver: "xserver.jp",
  mimecast: "mimecast.com mimecast.co.za mimecast-offshore.com",
  proofpoint: "pphosted.com ppe-hosted.com gpphosted.com emailsecurity.proofpoint.com",
  barracuda: "barracudanetworks.com cudaops.com",
  cisco_ironport: "iphmx.com",
  trend_micro: "trendmicro.com trendmicro.eu trendmicro.co.jp",
  sophos: "sophos.com reflexion.net",
  symantec: "messagelabs.com",
  forcepoint: "mailcontrol.com",
  trellix: "fireeyecloud.com fireeyegov.com mxlogic.net",
  fortinet: "fortimailcloud.com fortimail.com",
  hornetsecurity: "hornetsecurity.com antispameurope.com hornetdmarc.com",
  retarus: "retarus.com",
  vade: "vadesecure.com",
  spamexperts: "antispamcloud.com spamexperts.com spamexperts.eu spamexperts.net mailspamprotection.com",
  mailroute: "mailroute.net",
  spamtitan: "spamtitan.com webtitancloud.com",
  zix: "zixmail.net zixport.com appriver.com arsmtp.com",
  mailinblack: "mailinblack.com",
  n_able: "mtaroutes.com mailassure.com",
  cloudflare:
    "cloudflare.net cloudflareemail.com cf-emailsecurity.net mxrecord.io mxrecord.mx area1security.com",
  perception_point: "perception-point.io pp-mx.com",
  check_point: "checkpointcloudsec.com avanan.net",
  egress: "egress.com",
  mailgun: "mailgun.org mailgun.co",
  sendgrid: "sendgrid.net",
  postmark: "postmarkapp.com",
  sparkpost: "sparkpostmail.com",
  improvmx: "improvmx.com",
  forward_email: "forwardemail.net",
  simplelogin: "simplelogin.co",
  addy: "addy.io anonaddy.me",
  duckduckgo: "duck.com",
  mailinator: "mailinator.com",
  pobox: "pobox.com",
  mxroute: "mxroute.com mxrouting.net mxlogin.com",
  ovh: "mail.ovh.net mail.ovh.ca mail.ovh.com",
  gandi: "gandi.net",
  hostinger: "hostinger.com hostinger.in",
  namecheap: "privateemail.com registrar-servers.com web-hosting.com jellyfish.systems",
  godaddy: "secureserver.net",
  rackspace: "emailsrvr.com",
  titan: "titan.email",
  migadu: "migadu.com",
  bluehost: "bluehost.com",
  hostgator: "hostgator.com websitewelcome.com",
  dreamhost: "dreamhost.com",
  siteground: "siteground.biz sgvps.net sgcpanel.com",
  network_solutions: "netsolmail.net register.com",
  intermedia: "serverdata.net intermedia.net",
  wix: "wixemails.com",
  strato: "rzone.de strato.de",
  hetzner: "your-server.de",
  all_inkl: "kasserver.com",
  host_europe: "hosteurope.de",
  mittwald: "agenturserver.de",
  domainfactory: "ispgateway.de",
  united_domains: "udag.de",
  one_com: "one.com",
  simply: "simply.com unoeuro.com",
  loopia: "loopia.se",
  infomaniak: "infomaniak.ch infomaniak.com ikmail.com",
  hostpoint: "hostpoint.ch",
  mailbox_org: "mailbox.org",
  posteo: "posteo.de posteo.net",
  runbox: "runbox.com",
  soverin: "soverin.net",
  startmail: "startmail.com",
  mailfence: "mailfence.com",
  hey: "hey.com",
  riseup: "riseup.net",
  disroot: "disroot.org",
  transip: "transip.email transip.nl",
  kpn: "kpnmail.nl kpnxchange.com xs4all.nl",
  ziggo: "ziggo.nl",
  telenet: "telenet-ops.be telenet.be",
  proximus: "proximus.be skynet.be belgacom.be",
  orange: "orange.fr wanadoo.fr orange.com",
  laposte: "laposte.net",
  sfr: "sfr.fr neuf.fr numericable.fr",
  free: "free.fr proxad.net",
  bouygues: "bbox.fr",
  libero: "libero.it italiaonline.it iol.it",
  aruba: "aruba.it arubabusiness.it technorail.com",
  register_it: "register.it",
  tim: "tim.it alice.it telecomitalia.it aliceposta.it",
  tiscali: "tiscali.it tiscali.com",
  fastweb: "fastwebnet.it",
  t_online: "t-online.de",
  freenet: "freenet.de",
  vodafone: "vodafonemail.de arcor-online.net vodafone.de vodafone.com",
  swisscom: "bluewin.ch",
  a1: "a1.net aon.at",
  seznam: "seznam.cz",
  wp_pl: "wp.pl",
  o2_pl: "go2.pl o2.pl tlen.pl",
  onet: "onet.pl",
  interia: "interia.pl",
  home_pl: "home.pl",
  nazwa: "nazwa.pl",
  telia: "telia.com",
  telenor: "online.no telenor.net",
  inbox_lv: "inbox.lv inbox.eu",
  abv: "abv.bg",
  sapo: "sapo.pt",
  locaweb: "locaweb.com.br email-ssl.com.br",
  uol: "uol.com.br uhserver.com uolhost.com.br",
  terra: "terra.com",
  bt: "btinternet.com bt.com cpcloud.co.uk",
  sky: "sky.com",
  virgin_media: "virginmedia.com",
  talktalk: "talktalk.net",
  eir: "eircom.net",
  comcast: "comcast.net",
  cox: "cox.net",
  charter: "charter.net charter-business.net",
  att: "att.net prodigy.net",
  verizon: "verizon.net",
  earthlink: "earthlink.net earthlink-vadesecure.net",
  frontier: "frontier.com",
  windstream: "windstream.net",
  centurylink: "centurylink.net",
  optimum: "optonline.net",
  juno: "juno.com netzero.net untd.com",
  synacor: "synacor.com",
  rogers: "rogers.com",
  shaw: "shaw.ca",
  bell: "bell.net sympatico.ca",
  telus: "telus.net telus.com",
  videotron: "videotron.ca",
  telstra: "bigpond.com telstra.net",
  optus: "optusnet.com.au",
  tpg: "tpg.com.au iinet.net.au westnet.com.au",
  xtra: "xtra.co.nz",
  rediff: "rediffmail.com rediffmailpro.com",
  hinet: "hinet.net",
};

/** The same hosts serve the provider's own mailboxes and its business customers; the domain distinguishes them. */
const CONSUMER_SLUGS: ReadonlyMap<string, string> = new Map([
  ["google_workspace gmail.com", "google"],
  ["google_workspace googlemail.com", "google"],
  ["gmx mail.com", "mail_com"],
  ["gmx web.de", "web_de"],
]);

/** Rented machines carry the provider's name too, but are run by its customers. */
const RENTED_MACHINES =
  "clients.your-server.de hinet-ip.hinet.net ip.secureserver.net fbx.proxad.net customer.telia.com";

/** WorkMail uses the same hosts, so business mailboxes there have this slug as well. */
const AMAZON_REGIONS = `us-east-1 us-east-2 us-west-1 us-west-2 ca-central-1 eu-west-1 eu-west-2 eu-west-3 eu-central-1
  eu-north-1 eu-south-1 ap-south-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-southeast-1 ap-southeast-2
  ap-southeast-3 sa-east-1 me-south-1 af-south-1 il-central-1`;

const SLUG_BY_ENDING: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(MAIL_HOST_ENDINGS),
    ["other", RENTED_MACHINES] as const,
    ["amazon_ses", AMAZON_REGIONS.replace(/\S+/g, "inbound-smtp.$&.amazonaws.com")] as const,
  ].flatMap(([slug, endings]) => endings.split(/\s+/).map((ending) => [ending, slug] as const)),
);

const KNOWN_SLUGS: ReadonlySet<string> = new Set([
  ...SLUG_BY_ENDING.values(),
  ...CONSUMER_SLUGS.values(),
  "other",
]);

function slugOf(host: string): string | undefined {
  for (let ending = host; ; ending = ending.slice(ending.indexOf(".") + 1)) {
    const slug = SLUG_BY_ENDING.get(ending);
    if (slug !== undefined) return slug;
    if (!ending.includes(".")) return undefined;
  }
}
