"""One settings file; everything a host may change comes from the environment.

SITE_URL decides between two modes. With https all cookies are `Secure` and `check --deploy` is clean. With http, for a
laptop serving a venue, cookies have other names and no Secure flag, because browsers would drop them on plain http; a
banner warns about it.
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.contrib.messages import constants as messages

from tournament.config import env, site
from tournament.config.catalogs import compile_catalogs

BASE_DIR = Path(__file__).resolve().parents[2]
# From a wheel, where the apps hold templates and static files.
IS_INSTALLED = not (BASE_DIR / "manage.py").is_file()
DATA = env.data_folder(os.environ) if IS_INSTALLED else BASE_DIR / "var"
VAR_DIR = Path(os.environ.get("VAR_DIR") or DATA)
TESTING = "pytest" in sys.modules
# Tests use the same settings on every machine, except for the database.
ENV = {"DATABASE_URL": os.environ.get("DATABASE_URL", "")} if TESTING else dict(os.environ)
DEBUG = ENV.get("DEBUG", "") == "1"

SITE_URL = env.site_url(ENV)
LISTEN_HOST, LISTEN_PORT = env.listen_address(ENV)
SECRET_KEY = env.secret_key(ENV, VAR_DIR)
SIGN_UP_OPEN = env.choose_word(ENV, "SIGNUP", "open", "closed") == "open"
MAIL = env.mail(ENV)
DATABASES = {"default": env.database(ENV, VAR_DIR)}
ALLOWED_HOSTS = env.allowed_hosts(SITE_URL, ENV)
HTTPS = SITE_URL.startswith("https://")
SITE_NAME = site.site_name(ENV)
SITE_LOGO = site.site_logo(ENV)
# A banner on every page says that this network address is not encrypted. Not needed if only this machine has access.
HALL_MODE = not HTTPS and not any(f"//{name}" in SITE_URL for name in env.LOOPBACK)

INSTALLED_APPS = [
    "tournament",
    "standings",
    "pairings",
    "tournament.web.admin_site.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "crispy_forms",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
]
MIDDLEWARE = [
    "tournament.web.middleware.MonitoringMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "tournament.public.response_cache.ResponseCacheMiddleware",  # all headers are there when an answer is kept
    "tournament.web.middleware.CompressMiddleware",  # inside: an answer is kept as it was compressed
    "csp.middleware.CSPMiddleware",
    "tournament.web.middleware.RefuseMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "tournament.web.middleware.QuietSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "tournament.web.middleware.RenewSessionOnPostMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "tournament.web.middleware.RefusedMiddleware",
    "tournament.web.middleware.PartsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "tournament.config.urls"
WSGI_APPLICATION = "tournament.config.wsgi.application"
CACHES = {
    "default": env.throttle_cache(ENV, VAR_DIR, testing=TESTING),
    "process": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "process"},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [] if IS_INSTALLED else [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            # All of these are lazy: a public page that does not ask for the user touches no session.
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "tournament.web.context_processors.site",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "django.templatetags.tz",
                "crispy_forms.templatetags.crispy_forms_tags",
                "tournament.templatetags.names",
                "tournament.templatetags.desk",
                "standings.templatetags.standings",
            ],
        },
    }
]
CRISPY_ALLOWED_TEMPLATE_PACKS = CRISPY_TEMPLATE_PACK = "look"
MESSAGE_TAGS = {messages.SUCCESS: "good", messages.WARNING: "wait", messages.ERROR: "bad"}  # the look's names

# Language and time. A second language needs a middleware that reads only the header: public pages set no cookie.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
compile_catalogs()  # the first text is translated when models are imported
TIME_ZONE = env.time_zone(ENV) if not TESTING else "UTC"

# Static files: hashed names in production, plain ones in tests (no collectstatic there).
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [] if IS_INSTALLED else [BASE_DIR / "static"]
PLAIN_STATIC = TESTING or DEBUG
HASHED, PLAIN = (
    "whitenoise.storage.CompressedManifestStaticFilesStorage",
    "django.contrib.staticfiles.storage.StaticFilesStorage",
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": PLAIN if PLAIN_STATIC else HASHED},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_USE_FINDERS = PLAIN_STATIC
WHITENOISE_AUTOREFRESH = PLAIN_STATIC

# People: Django's own accounts for staff. Sessions last 12 h, renewed by POSTs only: a GET never writes.
AUTHENTICATION_BACKENDS = ["tournament.web.sessions.AccountBackend"]
AUTH_PASSWORD_VALIDATORS = [{"NAME": "tournament.access.passwords.PasswordRules"}]
PASSWORD_HASHERS = ["tournament.access.passwords.OneAtATimeHasher"]
if TESTING:  # hashing is slow on purpose
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
PASSWORD_RESET_TIMEOUT = 24 * 60 * 60
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
SESSION_ENGINE = "tournament.web.sessions"
SESSION_COOKIE_AGE = 12 * 60 * 60

# The pages and forms for accounts are allauth's. Its limits are off, because a hall has one address; ours are in
# tournament/access/throttle.py.
ACCOUNT_ADAPTER = "tournament.web.account_adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "tournament.forms.accounts.SignInForm",
    "change_password": "tournament.forms.accounts.ChangePasswordForm",
    "reset_password": "tournament.forms.accounts.ResetPasswordForm",
}
ACCOUNT_RATE_LIMITS = False
ACCOUNT_SIGNUP_FIELDS = ["username*", *(["email"] if MAIL else []), "password1*", "password2*"]
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False  # someone else may sign in on the same device
ACCOUNT_EMAIL_VERIFICATION = "none"  # at sign-up; a changed address is verified
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password"]
MFA_ADAPTER = "tournament.web.account_adapter.TwoStepAdapter"
MFA_FORMS = {"authenticate": "tournament.forms.accounts.SignInCodeForm"}
# Browsers allow security keys only on https and on their own machine.
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", *([] if HALL_MODE else ["webauthn"])]
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_TOTP_ISSUER = SITE_NAME or urlsplit(SITE_URL).hostname
MFA_TOTP_TOLERANCE = 1  # half minutes: phones' clocks are wrong

# Password links are sent by email if there is a mail server; otherwise use the command reset_password.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if MAIL else 'dummy'}.EmailBackend"
globals().update(MAIL)

TRUSTED_PROXIES = env.trusted_proxies(ENV)
METRICS_TOKEN = env.secret(ENV, "METRICS_TOKEN")
RETENTION_DAYS = env.whole_number(ENV, "RETENTION_DAYS", most=99_999, example=90)

# What our pages may do in the browser.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
SECURE_REFERRER_POLICY = "same-origin"  # keeps players' secret links out of the Referer header
CSRF_FAILURE_VIEW = "tournament.web.error_pages.csrf_failure"
if HALL_MODE:
    SECURE_CROSS_ORIGIN_OPENER_POLICY = None  # browsers ignore it over plain http, and complain on each page
SIGNED_COOKIE_LEGACY_SALT_FALLBACK = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024  # of a whole request, too: the server lets no more in
FILE_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_MEMORY_SIZE  # so no temporary file is written
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000  # a seating of 1200 entries is one form
DATA_UPLOAD_MAX_NUMBER_FILES = 4

# Cookies and transport.
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "hall_session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "hall_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
CSRF_TRUSTED_ORIGINS = [SITE_URL]
if HTTPS:
    # Granian speaks http behind a proxy that terminates TLS and must set this header itself.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    # Only the owner of the domain can decide about subdomains and the browsers' preload lists.
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

LOGGING = env.logging_config(ENV)
